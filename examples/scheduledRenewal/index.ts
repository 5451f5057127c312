import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, StaticExport, writeValues } from "pulumi-docs-platform";

const config = new pulumi.Config();
// How often the schedule runs `pulumi up`.
const everyMinutes = config.getNumber("everyMinutes") ?? 3;

const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  // The id of an older job to go back to.
  jobId: config.get("jobId") || undefined,
});
// Twice the interval: if this run does not renew the link, the link is still good in the next run, even if one run is
// missing.
const bundle = new ExportBundle("bundle", { jobId: site.jobId, renewBefore: `${2 * everyMinutes}m` });

// The Secret that the chart of the site reads as `staticExport.existingSecret`. kubectl applies this file after the run.
writeValues(process.env.SECRET_FILE ?? "secret.json", {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "docs-bundle-link" },
  stringData: { bundleUrl: bundle.bundleUrl },
});

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
// The provider uses at most half of a link's life as margin. With an interval above a quarter of the life, the link
// expires after one missing run.
export const longestInterval = pulumi
  .all([bundle.issuedAt, bundle.expiresAt])
  .apply(([issuedAt, end]) => `${Math.floor((Date.parse(end) - Date.parse(issuedAt)) / 240_000)}m`);
