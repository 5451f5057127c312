import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, StaticExport } from "pulumi-docs-platform";

const domains = new pulumi.Config().getObject<string[]>("domains") ?? ["docs.example.com", "help.example.com"];

/** All exports of a run share one limit of requests and one pool of connections. */
export const sites = Object.fromEntries(
  domains.map((domain) => {
    const site = new StaticExport(domain, { domain });
    const { version, expiresAt } = new ExportBundle(domain, { jobId: site.jobId });
    return [domain, { version, expiresAt, pageCount: site.pageCount }];
  }),
);
