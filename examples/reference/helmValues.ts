import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const values = helmValues({ bundle }); // { staticExport: { enabled, bundleUrl, version } }, a secret
