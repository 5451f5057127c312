import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();
// How often the schedule (renew.yml or cronJob.yaml) runs `pulumi up`.
const everyMinutes = config.getNumber("everyMinutes") ?? 3;

const site = new StaticExport("site", { domain: config.get("domain") ?? "docs.example.com" });
// Twice the interval: a link that this run leaves alone is still good in the next one, also where a run is left out.
const bundle = new ExportBundle("bundle", { jobId: site.jobId, renewBefore: `${2 * everyMinutes}m` });

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const values = helmValues({ bundle });
// No more than half of a link's life is used as margin: beyond a quarter of it, a missed run lets the link expire.
export const longestInterval = pulumi
  .all([bundle.issuedAt, bundle.expiresAt])
  .apply(([issuedAt, end]) => `${Math.floor((Date.parse(end) - Date.parse(issuedAt)) / 240_000)}m`);
