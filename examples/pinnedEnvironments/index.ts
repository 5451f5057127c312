import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

// Production serves the job that its configuration names, and never starts one. Every other stack serves the newest
// export, which a change of `revision` starts.
const jobId = config.get("jobId");
if (jobId === undefined && pulumi.getStack() === "production") {
  throw new pulumi.RunError("production serves the job that it is told: pulumi config set jobId <job id>");
}
const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  jobId,
  triggers: config.get("revision"),
});
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const values = helmValues({ bundle });
