import * as pulumi from "@pulumi/pulumi";
import { chooseSource, plainHelmValues, requireReachable } from "../provider/functions/helmValues";
import type { ExportBundle } from "./exportBundle";

/** A copy of a bundle at a place of your own, as far as the values need to know it. */
export interface MirroredBundle {
  /** Where the archive lies; without a signature. Of a site in a registry, the reference of its image. */
  url: pulumi.Output<string>;
  /** The pin for reproducible rollouts. */
  version: pulumi.Output<string>;
  /** The sha256 of the archive. Needed for `sha256: true` only. */
  sha256?: pulumi.Output<string> | undefined;
  /** `archive`, the default, or `site`, which a deployment mounts as an image, and cannot fetch as one archive. */
  layout?: pulumi.Output<string | undefined> | undefined;
  /** The destination that the program gives. A preview does not know `url` of a new mirror, and checks this instead. */
  destination?: pulumi.Output<string> | undefined;
  /** The `publicUrl` that the program gives, if any. */
  publicUrl?: pulumi.Output<string | undefined> | undefined;
}

/** The arguments of {@link helmValues}: a bundle or a mirror, unless `enabled` is false. */
export interface HelmValuesArgs {
  /** The bundle whose link the deployment fetches on startup. */
  bundle?: ExportBundle | undefined;
  /** The mirror that the deployment fetches the archive from, in place of a link that expires. */
  mirror?: MirroredBundle | undefined;
  /**
   * Adds the mirror's sha256, which our own chart reads: its pods then serve no other bytes. An image has its digest instead. Default: false.
   */
  sha256?: boolean | undefined;
  /** Turns serving of the static export on. Default: true. */
  enabled?: boolean | undefined;
  /** Pins the version that the deployment serves. Default: the bundle's, or the mirror's. */
  version?: pulumi.Input<string> | undefined;
}

/**
 * The `staticExport` block of a self-hosted deployment's values file, with exactly the keys of the API text; for a site in a
 * registry, with the reference of its image in place of the link; with `sha256: true` and the sha256 of the archive.
 */
export interface HelmValues {
  /** Whether the deployment serves a static export; if so, from which link or image, and which version of it. */
  staticExport:
    | { enabled: true; bundleUrl: string; version: string; sha256?: string }
    | { enabled: true; image: string; version: string }
    | { enabled: false };
}

/**
 * Values for the Helm chart of a self-hosted deployment ("Consumer-side bundle settings" in the API text). Secret as a
 * whole where a link is in them: write them to a file of mode 0600, or hand them to a Helm release as they are. From a
 * mirror they are readable.
 * @throws if it is enabled and not exactly one of bundle and mirror is given, or if `sha256` is true without a mirror. The
 * values fail if `sha256` is true and the mirror has no sha256, and for a mirror that a deployment cannot fetch: already in
 * a preview for a folder without `publicUrl`, for an image layout, and for layout `site` in a folder or a bucket; once the
 * mirror is there for layout `archive` in a registry.
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
    // No mirror's own address has a query: this is a signed link, from wherever it came.
    return "image" in values.staticExport || new URL(known.url).search === ""
      ? pulumi.output(values)
      : pulumi.secret(values);
  });
}

/** The SDK prints the message of such an error alone, and no stack. */
function asRunError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : String(error));
  }
}
