import { identifierRule } from "../definitions/rules";
import { formatIsoTime } from "../support/time/duration";
import { defineFunction } from "./function";

export const getStaticExportFunction = defineFunction({
  name: "getStaticExport",
  isLookUp: true,
  inputs: { jobId: { rule: identifierRule, required: true } },
  async call({ jobId }, { settings, signal, connect }) {
    const job = await (await connect(settings())).getExport(jobId, { signal });
    const { status, progress, pageCount, domain, error } = job;
    const [startedAt, completedAt] = [formatIsoTime(job.startedAt), formatIsoTime(job.completedAt)];
    return { jobId, status, progress, pageCount, domain, error, startedAt, completedAt };
  },
});
