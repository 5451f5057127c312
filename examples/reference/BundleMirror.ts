import { BundleMirror, StaticExport } from "pulumi-docs-platform";

const site = new StaticExport("site", { domain: "docs.example.com" });
const mirror = new BundleMirror("mirror", {
  jobId: site.jobId,
  destination: "s3://docs-bundles/site?region=eu-central-1",
});

export const { url, sha256 } = mirror;
