import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  triggers: config.get("revision"),
});
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
