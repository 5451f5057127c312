// The Pulumi program of the plugin tests, without a generated SDK. It declares the resources that resources.json lists.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { outputs } = require("./outputs");

const { site, bundle } = JSON.parse(readFileSync("resources.json", "utf8"));

function declare(kind, name, args, outputNames, opts) {
  const properties = Object.fromEntries(outputNames.map((output) => [output, undefined]));
  return new pulumi.CustomResource(`docs-platform:index:${kind}`, name, { ...properties, ...args }, opts);
}

const declared =
  site &&
  declare(
    "StaticExport",
    "site",
    site.args,
    ["jobId", "status", "pageCount", "startedAt", "completedAt"],
    site.options,
  );
const link =
  bundle &&
  declare(
    "ExportBundle",
    "bundle",
    { ...(declared && { jobId: declared.jobId }), ...bundle.args },
    ["bundleUrl", "expiresAt", "issuedAt", "version"],
    bundle.options,
  );

module.exports = outputs(declared, link);
