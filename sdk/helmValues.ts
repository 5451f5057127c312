import * as pulumi from "@pulumi/pulumi";
import { chooseBundleOrMirror, plainHelmValues, requireMirrorFetchableByChart } from "../provider/functions/helmValues";
import type { ExportBundle } from "./exportBundle";

/** The outputs and inputs of a mirror that {@link helmValues} reads. */
export interface MirroredBundle {
  /** The address of the archive, without a signature. For a site in a registry: the reference of its image. */
  url: pulumi.Output<string>;
  /** The pin for reproducible rollouts. */
  version: pulumi.Output<string>;
  /** The sha256 of the archive. Needed only for `sha256: true`. */
  sha256?: pulumi.Output<string> | undefined;
  /** `archive` (the default), or `site`: a deployment can mount a site as an image, but cannot fetch it from a link. */
  layout?: pulumi.Output<string | undefined> | undefined;
  /** The mirror's input `destination`. With it, a preview can refuse a mirror before its `url` is known. */
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
   * If true, the values contain the mirror's sha256. The pods of this project's chart then serve no other archive. An
   * image needs no sha256, because its reference has a digest. Default: false.
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
 * @throws if both or neither of `bundle` and `mirror` are given, or if `sha256` is true without a mirror. With
 * `enabled: false`, it never throws. The output fails if `sha256` is true and the mirror has neither a sha256 nor an
 * image. The output also fails if no deployment can fetch the mirror: a folder without `publicUrl`, an image layout,
 * layout `site` in a folder or a bucket, or layout `archive` in a registry. A preview finds the errors that the
 * destination and the layout show. If the mirror does not exist yet, only the run finds the others.
 */
export function helmValues({ bundle, mirror, sha256, enabled, version }: HelmValuesArgs): pulumi.Output<HelmValues> {
  const source = asRunError(() => chooseBundleOrMirror({ bundle, mirror, sha256, enabled }));
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
    .apply((known) =>
      asRunError(() => requireMirrorFetchableByChart(known.publicUrl ?? known.destination, known.layout)),
    );
  const given = pulumi.output({ url, version: version ?? own, layout, sha256: checksum, reachable });
  return given.apply((known) => {
    const values = asRunError(() => plainHelmValues({ mirror: known, sha256 }));
    // A mirror's own address never has a query. So an address with a query is a signed link, which stays secret.
    return "image" in values.staticExport || new URL(known.url).search === ""
      ? pulumi.output(values)
      : pulumi.secret(values);
  });
}

/** Converts an error, so that the SDK prints only its message, without a stack trace. */
function asRunError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new pulumi.RunError(error instanceof Error ? error.message : String(error));
  }
}
