const docs = require("pulumi-docs-platform-sdk");

const site = new docs.StaticExport("site", { domain: "docs.example.com" });
const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId });
const { bundleUrl, version } = bundle;

exports.jobId = site.jobId;
exports.version = version;
exports.expiresAt = bundle.expiresAt;
exports.bundleUrl = bundleUrl;
exports.values = docs.helmValuesOutput({ bundle: { bundleUrl, version } });
