import * as pulumi from "@pulumi/pulumi";
import { AgentMessage } from "pulumi-docs-platform";

const config = new pulumi.Config();

// The first run sends the message. A later run sends it again only if one of these inputs has changed.
const message = new AgentMessage("fix-links", {
  projectId: config.get("project") ?? "docs",
  jobId: config.get("agentJob") ?? "job-1",
  prompt: config.get("prompt") ?? "Mend the broken links of the last build.",
  waitForCompletion: true,
  waitTimeout: "20m",
});

export const status = message.status;
export const pullRequest = message.prLink;
