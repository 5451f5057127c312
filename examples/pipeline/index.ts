import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

// The revision that the pipeline has checked out: a new one starts an export, and the same one none. `jobId` goes back to an older
// job, without a start.
const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  triggers: { revision: config.get("revision") ?? "none" },
  jobId: config.get("jobId") || undefined,
});
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const values = helmValues({ bundle });
