const { ExportBundle, StaticExport } = require("pulumi-docs-platform");

const site = new StaticExport("site", { domain: process.env.BENCH_DOMAIN });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

module.exports = { bundleUrl: bundle.bundleUrl };
