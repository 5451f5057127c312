import type { GetStaticExportArgs, GetStaticExportResult } from "../../sdk/jobs";
import { connect } from "../platform/connect";
import { isoTime } from "../support/time/duration";
import { defineFunction } from "./definition";
import { identifier } from "./rules";

export const getStaticExport = defineFunction<GetStaticExportArgs, GetStaticExportResult>({
  name: "getStaticExport",
  inputs: { jobId: { rule: identifier, required: true } },
  async call({ jobId }, { settings, signal, debug }) {
    const job = await (await connect(settings(), debug)).getExport(jobId, { signal });
    const { status, progress, pageCount, domain, error } = job;
    const [startedAt, completedAt] = [isoTime(job.startedAt), isoTime(job.completedAt)];
    return { jobId, status, progress, pageCount, domain, error, startedAt, completedAt };
  },
});
