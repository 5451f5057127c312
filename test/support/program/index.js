// The program of the lifecycle tests: what it declares stands in resources.json, so that a test can change it.
const { readFileSync } = require("node:fs");
const docs = require("pulumi-docs-platform");

const { site, bundle, lookUp } = JSON.parse(readFileSync("resources.json", "utf8"));

const declared = site && new docs.StaticExport("site", site);
const link = bundle && new docs.ExportBundle("bundle", { ...(declared && { jobId: declared.jobId }), ...bundle });
const found = lookUp && docs.StaticExport.get("found", lookUp);

module.exports = {
  ...(declared && {
    jobId: declared.jobId,
    status: declared.status,
    pageCount: declared.pageCount,
    startedAt: declared.startedAt,
    completedAt: declared.completedAt,
  }),
  ...(link && {
    bundleUrl: link.bundleUrl,
    expiresAt: link.expiresAt,
    issuedAt: link.issuedAt,
    version: link.version,
    values: docs.helmValues({ bundle: link }),
  }),
  ...(found && { foundStatus: found.status, foundDomain: found.domain, foundStartedAt: found.startedAt }),
};
