import * as docs from "pulumi-docs-platform-sdk";

const site = new docs.StaticExport("site", { domain: "docs.example.com" });

const mirror = new docs.BundleMirror("mirror", {
  jobId: site.jobId,
  destination: "s3://docs-bundles/site?region=eu-central-1",
});

export const url = mirror.url;
export const sha256 = mirror.sha256;
