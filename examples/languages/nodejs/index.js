const docs = require("@pulumi/docs-platform");

const site = new docs.StaticExport("site", { domain: "docs.example.com" });
const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId });

exports.jobId = site.jobId;
exports.version = bundle.version;
exports.expiresAt = bundle.expiresAt;
exports.bundleUrl = bundle.bundleUrl;
