// The Pulumi program of the lifecycle tests. It declares the resources that resources.json lists.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const docs = require("pulumi-docs-platform");
const { outputs } = require("./outputs");

const {
  site,
  sites = 0,
  trees,
  bundle,
  copy,
  lookUp,
  message,
  messageLookUp,
  getExport,
  getAgent,
  ...others
} = JSON.parse(readFileSync("resources.json", "utf8"));

for (let index = 0; index < sites; index++) {
  new docs.StaticExport(`site-${index}`, { domain: `site-${index}.example.com`, ...others.eachSite });
}
if (trees) {
  // The engine starts a process for each provider in `./trees`. So a program without trees does not load `./trees`.
  const { declareTrees } = require("./trees");
  declareTrees(trees);
}
const secret = others.secretOption && { token: pulumi.secret(process.env[others.secretOption]) };
const declared =
  site &&
  new docs.StaticExport(
    "site",
    secret ? { ...site, exportOptions: { ...site.exportOptions, nested: secret } } : site,
    others.siteOptions,
  );
const link = bundle && new docs.ExportBundle("bundle", { ...(declared && { jobId: declared.jobId }), ...bundle });
const mirror = copy && new docs.BundleMirror("copy", { ...(declared && { jobId: declared.jobId }), ...copy });
const exported = getExport && docs.getStaticExport(getExport);
const found = lookUp && docs.StaticExport.get("found", lookUp);
const sent = message && new docs.AgentMessage("message", message);
const foundMessage = messageLookUp && docs.AgentMessage.get("foundMessage", messageLookUp);

function heavyLibraries() {
  const names = Object.keys(require.cache).map((file) => /\/node_modules\/(undici|zod)\//.exec(file)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

module.exports = {
  ...outputs(declared, link),
  ...(link && { values: docs.helmValues({ bundle: link }) }),
  ...(found && { foundStatus: found.status, foundDomain: found.domain, foundStartedAt: found.startedAt }),
  ...(sent && outputsOf(sent)),
  ...(foundMessage && { found: outputsOf(foundMessage) }),
  ...(exported && { export: exported }),
  ...(getAgent && { agent: docs.getAgentJob(getAgent) }),
  ...(others.getExportOutput && {
    export: docs.getStaticExportOutput({ ...(declared && { jobId: declared.jobId }), ...others.getExportOutput }),
  }),
  ...(others.getAgentOutput && { agent: docs.getAgentJobOutput(others.getAgentOutput) }),
  ...(others.copyValues && { copied: docs.helmValues({ mirror }) }),
  ...(others.mirror && { mirrored: docs.helmValues({ mirror: outputsOfMirror(others.mirror) }) }),
  ...(others.libraries && { libraries: Promise.resolve(exported).then(heavyLibraries) }),
};

function outputsOf({ status, source, model, prLink, createdAt, archivedAt }) {
  return { status, source, model, prLink, createdAt, archivedAt };
}

function outputsOfMirror({ url, version, layout }) {
  return { url: pulumi.output(url), version: pulumi.output(version), layout: pulumi.output(layout) };
}
