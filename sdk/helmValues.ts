import * as pulumi from "@pulumi/pulumi";
import { chooseSource, plainHelmValues, requireReachable } from "../provider/functions/helmValues";
import type { ExportBundle } from "./exportBundle";

/** The values need these outputs and arguments of a mirror. */
export interface MirroredBundle {
  /** The address of the archive, without a signature. For a site in a registry: the reference of its image. */
  url: pulumi.Output<string>;
  /** The pin for reproducible rollouts. */
  version: pulumi.Output<string>;
  /** The sha256 of the archive. Needed only for `sha256: true`. */
  sha256?: pulumi.Output<string> | undefined;
  /** `archive` (the default), or `site`: a deployment can mount a site as an image, but cannot fetch it from a link. */
  layout?: pulumi.Output<string | undefined> | undefined;
  /** The mirror's input `destination`. A preview checks it if it does not know `url` yet. */
  destination?: pulumi.Output<string> | undefined;
  /** The mirror's input `publicUrl`. */
  publicUrl?: pulumi.Output<string | undefined> | undefined;
}

/** The arguments of {@link helmValues}: a bundle or a mirror, unless `enabled` is false. */
export interface HelmValuesArgs {
  /** The bundle with the link that the deployment fetches when it starts. */
  bundle?: ExportBundle | undefined;
  /** The mirror with the archive or the image that the deployment fetches. Its address does not expire. */
  mirror?: MirroredBundle | undefined;
  /**
   * If true, the values contain the mirror's sha256 for our own chart, whose pods then serve no other bytes. An image
   * needs no sha256, because its reference has a digest. Default: false.
   */
  sha256?: boolean | undefined;
  /** If false, the deployment serves no static export. Default: true. */
  enabled?: boolean | undefined;
  /** The version that the deployment serves. Default: the version of the bundle or the mirror. */
  version?: pulumi.Input<string> | undefined;
}

/**
 * The block `staticExport` of a self-hosted deployment's values file, with exactly the keys of the API text. For a site in a
 * registry it has `image` instead of `bundleUrl`. With `sha256: true` it also has the sha256 of the archive.
 */
export interface HelmValues {
  /** Whether the deployment serves a static export, from which link or image, and which version. */
  staticExport:
    | { enabled: true; bundleUrl: string; version: string; sha256?: string }
    | { enabled: true; image: string; version: string }
    | { enabled: false };
}

/**
 * Returns the values for the Helm chart of a self-hosted deployment ("Consumer-side bundle settings" in the API text).
 * If they contain a link, they are secret as a whole: write them to a file of mode 0600, or pass them to a Helm
 * release. The values of a mirror are not secret.
 * @throws if both or none of `bundle` and `mirror` are given although `enabled` is not false, or if `sha256` is true
 * without a mirror. The output fails if `sha256` is true and the mirror has no sha256. It also fails for a mirror that
 * a deployment cannot fetch. A preview finds this for a folder without `publicUrl`, for an image layout, and for layout
 * `site` in a folder or a bucket. Only the run finds it for layout `archive` in a registry.
 */
export function helmValues({ bundle, mirror, sha256, enabled, version }: HelmValuesArgs): pulumi.Output<HelmValues> {
  const source = asRunError(() => chooseSource({ bundle, mirror, sha256, enabled }));
  if (source === undefined) {
    const disabled = pulumi.output(plainHelmValues({ enabled: false }));
    return bundle === undefined ? disabled : pulumi.secret(disabled);
  }
  if ("bundle" in source) {
    const { bundleUrl, version: own } = source.bundle;
    const given = pulumi.output({ bundleUrl, version: version ?? own });
    return pulumi.secret(given.apply((known) => plainHelmValues({ bundle: known })));
  }
  const { url, version: own, layout, sha256: checksum, destination, publicUrl } = source.mirror;
  const reachable = pulumi
    .output({ destination, publicUrl, layout })
    .apply((known) => asRunError(() => requireReachable(known.publicUrl ?? known.destination, known.layout)));
  const given = pulumi.output({ url, version: version ?? own, layout, sha256: checksum, reachable });
  return given.apply((known) => {
    const values = asRunError(() => plainHelmValues({ mirror: known, sha256 }));
    // An address with a query is a signed link, because the address of a mirror never has a query.
    return "image" in values.staticExport || new URL(known.url).search === ""
      ? pulumi.output(values)
      : pulumi.secret(values);
  });
}

/** Converts an error, so that the SDK prints only its message, and no stack. */
function asRunError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : String(error));
  }
}
