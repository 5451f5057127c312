// The Pulumi program of the mirror's lifecycle tests. It declares the resources that resources.json lists.
const { readFileSync } = require("node:fs");
const docs = require("pulumi-docs-platform");

const { site, mirror = {} } = JSON.parse(readFileSync("resources.json", "utf8"));
const { options, values, ...args } = mirror;

const { options: siteOptions, ...siteArgs } = site ?? {};
const declared = site && new docs.StaticExport("site", siteArgs, siteOptions);
const copy = new docs.BundleMirror("mirror", { ...(declared && { jobId: declared.jobId }), ...args }, options);

const { url, sha256, sizeBytes, format, jobId, version, mirroredAt, layout } = copy;
module.exports = {
  ...{ url, sha256, sizeBytes, format, jobId, version, mirroredAt, layout },
  ...(values && { values: docs.helmValues({ mirror: copy }) }),
};
