import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: new pulumi.Config().get("domain") ?? "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
