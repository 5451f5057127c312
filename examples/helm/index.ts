import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();

const site = new StaticExport("site", { domain: config.get("domain") ?? "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

// The chart of this project, or the one of a self-hosted deployment: both take these values. They are secret as a whole.
new kubernetes.helm.v3.Release("docs", {
  name: "docs",
  chart: config.get("chart") ?? "../../charts/docs-site",
  namespace: config.get("namespace") ?? "docs",
  createNamespace: true,
  values: helmValues({ bundle }),
});

export const version = bundle.version;
export const expiresAt = bundle.expiresAt;
