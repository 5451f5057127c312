import { identifierRule } from "../definitions/rules";
import { projectIdAdvice } from "../settings/settingTable";
import { ConfigurationError } from "../support/errors";
import { formatIsoTime } from "../support/time/duration";
import { words } from "../support/words";
import { defineFunction } from "./function";

export const getAgentJobFunction = defineFunction({
  name: "getAgentJob",
  isLookUp: true,
  inputs: { jobId: { rule: identifierRule, required: true }, projectId: { rule: identifierRule } },
  async call({ jobId, projectId: given }, { settings, signal, connect }) {
    const read = settings();
    const projectId = given ?? read.projectId;
    if (projectId === undefined) {
      throw new ConfigurationError([
        `${words.name("projectId")} is missing: give it in the call, or ${projectIdAdvice()}`,
      ]);
    }
    const job = await (await connect(read)).getAgentJob({ projectId, id: jobId }, { signal });
    const { status, source, model, prLink } = job;
    const [createdAt, archivedAt] = [formatIsoTime(job.createdAt), formatIsoTime(job.archivedAt)];
    return { jobId, status, source, model, prLink, createdAt, archivedAt };
  },
});
