import { StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com", triggers: { revision: "4f0c2d1" } });

export const { jobId, pageCount } = site;
