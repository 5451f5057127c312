import * as docs from "pulumi-docs-platform-sdk";

const site = new docs.StaticExport("site", { domain: "docs.example.com" });

const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId, renewBefore: "30m" });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const bundleUrl = bundle.bundleUrl;
