import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport, writeValues } from "pulumi-docs-platform";

const config = new pulumi.Config();
const renewBefore = config.get("renewBefore");

// Starts an export of the site and waits until it is completed. With `jobId` the stack goes back to the job of this id.
const site = new StaticExport("site", {
  domain: config.get("domain") ?? process.env.DOCS_PLATFORM_DOMAIN ?? "docs.example.com",
  jobId: config.get("jobId"),
});

// A link to the bundle. The first `pulumi up` after (or shortly before) its end renews it, for the same job.
const bundle = new ExportBundle("bundle", { jobId: site.jobId, ...(renewBefore !== undefined && { renewBefore }) });

// The values file of the self-hosted deployment. It contains the link, so only its owner may read it. No preview writes it.
writeValues(config.get("valuesFile") ?? "values.secret.yaml", helmValues({ bundle }));

export const jobId = site.jobId;
export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
export const bundleUrl = bundle.bundleUrl;
