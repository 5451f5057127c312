import * as pulumi from "@pulumi/pulumi";
import type { ExportBundle } from "./exportBundle";

/** What {@link helmValues} is made from. */
export interface HelmValuesArgs {
  /** The bundle whose link the deployment fetches on startup. Needed unless `enabled` is false. */
  bundle?: ExportBundle | undefined;
  /** Turns serving of the static export on. Default: true. */
  enabled?: boolean | undefined;
  /** Pins the version that the deployment serves. Default: the bundle's. */
  version?: pulumi.Input<string> | undefined;
}

/** The `staticExport` block of a self-hosted deployment's values file, with exactly the keys of the API text. */
export interface HelmValues {
  staticExport: { enabled: true; bundleUrl: string; version: string } | { enabled: false };
}

/**
 * Values for the Helm chart of a self-hosted deployment ("Consumer-side bundle settings" in the API text). Secret as a
 * whole where a bundle is given, since its link is; write it to a file of mode 0600, or hand it to a Helm release as it is.
 * @throws where it is enabled and no bundle is given.
 */
export function helmValues(args: HelmValuesArgs): pulumi.Output<HelmValues> {
  if (args.enabled === false) {
    const disabled: HelmValues = { staticExport: { enabled: false } };
    return args.bundle === undefined ? pulumi.output(disabled) : pulumi.secret(disabled);
  }
  if (args.bundle === undefined) {
    throw new Error("helmValues: give a bundle, or enabled: false");
  }
  const { bundleUrl, version } = args.bundle;
  return pulumi.secret(
    pulumi
      .all([bundleUrl, args.version ?? version])
      .apply(([url, pin]) => ({ staticExport: { enabled: true as const, bundleUrl: url, version: pin } })),
  );
}
