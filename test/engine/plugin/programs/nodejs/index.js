// The Pulumi program of the plugin tests, with the generated SDK. It declares the resources that resources.json lists.
const { readFileSync } = require("node:fs");
const docs = require("pulumi-docs-platform-sdk");
const { outputs } = require("./outputs");

const declared = JSON.parse(readFileSync("resources.json", "utf8"));
const site = new docs.StaticExport("site", declared.site.args);
const bundle = declared.bundle && new docs.ExportBundle("bundle", { jobId: site.jobId, ...declared.bundle.args });

module.exports = outputs(site, bundle);
