import { AgentMessage } from "pulumi-docs-platform";

const message = new AgentMessage("links", {
  jobId: "<agent job id>",
  projectId: "docs",
  prompt: "Mend the broken links of the last build.",
  waitForCompletion: true,
});

export const { status, prLink } = message;
