import * as docs from "pulumi-docs-platform-sdk";

const site = new docs.StaticExport("site", { domain: "docs.example.com" });

const found = docs.getStaticExportOutput({ jobId: site.jobId });

export const status = found.status;
export const pageCount = found.pageCount;
