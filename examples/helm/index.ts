import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

const site = new StaticExport("site", { domain: config.require("domain") });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

// The chart of the self-hosted deployment, by whatever name your platform ships it. The values are secret as a whole.
new kubernetes.helm.v3.Release("docs", {
  chart: config.require("chart"),
  namespace: config.get("namespace") ?? "docs",
  createNamespace: true,
  values: helmValues({ bundle }),
});

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
