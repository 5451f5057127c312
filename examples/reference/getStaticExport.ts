import { getStaticExportOutput, StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com" });

export const { status, pageCount } = getStaticExportOutput({ jobId: site.jobId });
