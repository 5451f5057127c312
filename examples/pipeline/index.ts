import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

// The revision to export. A new revision starts an export; the same one starts none.
export const revision = config.get("revision") ?? "none";

// With `jobId`, the stack uses the job of this id, and no run starts an export.
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
