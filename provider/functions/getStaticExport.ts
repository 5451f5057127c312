import { identifier } from "../definitions/rules";
import { connect } from "../platform/connect";
import { isoTime } from "../support/time/duration";
import { defineFunction } from "./function";

export const getStaticExportFunction = defineFunction({
  name: "getStaticExport",
  inputs: { jobId: { rule: identifier, required: true } },
  async call({ jobId }, { settings, signal, debug }) {
    const job = await (await connect(settings(), debug)).getExport(jobId, { signal });
    const { status, progress, pageCount, domain, error } = job;
    const [startedAt, completedAt] = [isoTime(job.startedAt), isoTime(job.completedAt)];
    return { jobId, status, progress, pageCount, domain, error, startedAt, completedAt };
  },
});
