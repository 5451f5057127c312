import { ExportBundle, StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId, renewBefore: "30m" });

export const { version, expiresAt } = bundle;
