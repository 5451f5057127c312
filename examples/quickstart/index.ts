import { rmSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";
import { stringify } from "yaml";

const config = new pulumi.Config();
const renewBefore = config.get("renewBefore");

// Starts an export of the site and waits until it is completed.
const site = new StaticExport("site", {
  domain: config.get("domain") ?? process.env.DOCS_PLATFORM_DOMAIN ?? "docs.example.com",
});

// A link to the bundle; renewed for the same job by the first `pulumi up` after (or shortly before) it expired.
const bundle = new ExportBundle("bundle", { jobId: site.jobId, ...(renewBefore !== undefined && { renewBefore }) });

// The values file of the self-hosted deployment. It holds the link: readable by its owner only, and never made by a preview.
const valuesFile = config.get("valuesFile") ?? "values.secret.yaml";
if (!pulumi.runtime.isDryRun()) {
  helmValues({ bundle }).apply((values) => {
    rmSync(valuesFile, { force: true });
    writeFileSync(valuesFile, stringify(values), { mode: 0o600, flag: "wx" });
  });
}

export const jobId = site.jobId;
export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const bundleUrl = bundle.bundleUrl;
