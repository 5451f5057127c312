import * as pulumi from "@pulumi/pulumi";
import {
  type DeploymentType,
  ExportBundle,
  type FeatureAvailability,
  featureAvailability,
  StaticExport,
} from "pulumi-docs-platform";

const config = new pulumi.Config();
const deploymentType = config.get<DeploymentType>("deploymentType") ?? "client-hosted";
const wanted = config.getObject<(keyof FeatureAvailability)[]>("features") ?? ["staticExportBundle"];

// A program also runs in a preview, so the preview refuses a missing feature before anything is started.
const offered = featureAvailability(deploymentType);
const missing = wanted.filter((feature) => offered[feature] !== "available" && offered[feature] !== "configurable");
if (missing.length > 0) {
  throw new pulumi.RunError(`a deployment of type ${deploymentType} does not offer ${missing.join(", ")}`);
}

const site = new StaticExport("site", { domain: config.get("domain") ?? "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

export const version = bundle.version;
