import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

// The revision that the pipeline exports: a new one starts an export, and the same one none.
export const revision = config.get("revision") ?? "none";

// With `jobId` the stack keeps, or goes back to, the job of this id: no run starts an export then.
const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  triggers: { revision },
  jobId: config.get("jobId") || undefined,
});
// Twice the interval of renew.yml, so that one run may be late or missing.
const bundle = new ExportBundle("bundle", { jobId: site.jobId, renewBefore: "30m" });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const values = helmValues({ bundle });
