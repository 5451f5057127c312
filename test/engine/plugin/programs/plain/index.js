// The program of the plugin tests, without a generated SDK. resources.json contains what it declares.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const { outputs } = require("./outputs");

const { site, bundle } = JSON.parse(readFileSync("resources.json", "utf8"));

/** A resource of the plugin, with outputs of these names. */
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
