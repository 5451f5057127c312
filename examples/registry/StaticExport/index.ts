import * as docs from "pulumi-docs-platform-sdk";

const site = new docs.StaticExport("site", {
  domain: "docs.example.com",
  // A change of it starts a new job.
  triggers: { revision: "4f0c2d1" },
});

export const jobId = site.jobId;
export const pageCount = site.pageCount;
