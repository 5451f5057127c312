import * as docs from "pulumi-docs-platform-sdk";

const job = docs.getAgentJobOutput({ jobId: "job-1", projectId: "docs" });

export const status = job.status;
export const prLink = job.prLink;
