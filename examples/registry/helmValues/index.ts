import * as docs from "pulumi-docs-platform-sdk";

const site = new docs.StaticExport("site", { domain: "docs.example.com" });

const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId, renewBefore: "30m" });

const values = docs.helmValuesOutput({
  bundle: { bundleUrl: bundle.bundleUrl, version: bundle.version },
});

export const staticExport = values.staticExport;
