import { ExportBundle, helmValues, StaticExport, writeValues } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com" });
const { staticExport } = helmValues({ bundle: new ExportBundle("bundle", { jobId: site.jobId }) });

writeValues("values.secret.yaml", { replicas: 3, staticExport });
