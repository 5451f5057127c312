import * as docs from "pulumi-docs-platform-sdk";

const message = new docs.AgentMessage("links", {
  jobId: "job-1",
  projectId: "docs",
  prompt: "Repair the broken links of the last build.",
  waitForCompletion: true,
});

export const status = message.status;
export const prLink = message.prLink;
