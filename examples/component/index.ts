import * as pulumi from "@pulumi/pulumi";
import { DocsSite } from "./docsSite";

const domains = new pulumi.Config().getObject<string[]>("domains") ?? ["docs.example.com", "help.example.com"];

export const sites = Object.fromEntries(
  domains.map((domain) => {
    const { version, expiresAt } = new DocsSite(domain, { domain });
    return [domain, { version, expiresAt }];
  }),
);
