import * as pulumi from "@pulumi/pulumi";
import { ExportBundle, helmValues, StaticExport } from "pulumi-docs-platform";

/** The arguments of a {@link DocsSite}. */
export interface DocsSiteArgs {
  domain: pulumi.Input<string>;
  /** Default: `"10m"`. */
  renewBefore?: pulumi.Input<string>;
}

/**
 * A component with a site's export, the link to its bundle, and the values for the chart of a self-hosted deployment.
 */
export class DocsSite extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;
  readonly expiresAt: pulumi.Output<string>;
  readonly values: pulumi.Output<object>;

  constructor(name: string, { domain, renewBefore }: DocsSiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super("example:docs:DocsSite", name, {}, opts);
    const child = { parent: this };
    const site = new StaticExport(name, { domain }, child);
    const bundle = new ExportBundle(name, { jobId: site.jobId, renewBefore }, child);
    this.version = bundle.version;
    this.expiresAt = bundle.expiresAt;
    this.values = helmValues({ bundle });
    this.registerOutputs({ version: this.version, expiresAt: this.expiresAt, values: this.values });
  }
}
