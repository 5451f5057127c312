import { identifierRule } from "../definitions/rules";
import { projectIdAdvice } from "../settings/settingTable";
import { ConfigurationError } from "../support/errors";
import { isoTime } from "../support/time/duration";
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
    const [createdAt, archivedAt] = [isoTime(job.createdAt), isoTime(job.archivedAt)];
    return { jobId, status, source, model, prLink, createdAt, archivedAt };
  },
});
