/**
 * The `staticExport` block of a self-hosted deployment's values file, with exactly the keys of the API text; for a site in a
 * registry, with the reference of its image in place of the link.
 */
export interface HelmValues {
  /** Whether the deployment serves a static export; if so, from which link or image, and which version of it. */
  staticExport:
    | { enabled: true; bundleUrl: string; version: string }
    | { enabled: true; image: string; version: string }
    | { enabled: false };
}

/** What a program says of a mirror that may not exist yet. */
interface MirrorPlace {
  destination?: string | undefined;
  publicUrl?: string | undefined;
  layout?: string | undefined;
}

/** What {@link helmValues} is made from, once it is resolved. */
export interface PlainHelmValuesArgs {
  bundle?: { bundleUrl: string; version: string } | undefined;
  mirror?: ({ url: string; version: string } & MirrorPlace) | undefined;
  enabled?: boolean | undefined;
  version?: string | undefined;
}

/** @throws where it is enabled without exactly one of bundle and mirror, or by a mirror that a deployment cannot fetch. */
export function plainHelmValues({ bundle, mirror, enabled, version }: PlainHelmValuesArgs): HelmValues {
  if (enabled === false) {
    return { staticExport: { enabled: false } };
  }
  if (bundle !== undefined && mirror === undefined) {
    return { staticExport: { enabled: true, bundleUrl: bundle.bundleUrl, version: version ?? bundle.version } };
  }
  if (mirror !== undefined && bundle === undefined) {
    const reason = unreachableReason(mirror.url, mirror.layout);
    if (reason !== undefined) {
      throw new Error(`helmValues: ${reason}`);
    }
    const pin = version ?? mirror.version;
    return isImage(mirror.url)
      ? { staticExport: { enabled: true, image: mirror.url, version: pin } }
      : { staticExport: { enabled: true, bundleUrl: mirror.url, version: pin } };
  }
  throw new Error("helmValues: give a bundle or a mirror, but not both; or give enabled: false");
}

/** A reference with a digest, such as a mirror in a registry has for its url. */
function isImage(url: string): boolean {
  return /^([^/:]+|\[[0-9a-f:]+\])(:\d+)?\/\S+@sha256:[0-9a-f]{64}$/.test(url);
}

/**
 * Looks at a mirror that may not exist yet, by what the program says of it.
 * @throws where no deployment will be able to fetch it from there. Of a registry only the finished mirror tells.
 */
export function requireReachable({ destination, publicUrl = destination, layout }: MirrorPlace): void {
  const reason = publicUrl === undefined || /^oci:/i.test(publicUrl) ? undefined : unreachableReason(publicUrl, layout);
  if (reason !== undefined) {
    throw new Error(`helmValues: ${reason}`);
  }
}

/** Why a deployment cannot fetch the archive of a mirror, or undefined where it can. */
export function unreachableReason(url: string, layout: string | undefined): string | undefined {
  if (isImage(url)) {
    return layout === "site"
      ? undefined
      : "the mirror stores the archive in a registry, but a deployment fetches archives by https: use layout site, whose image a deployment can mount";
  }
  if (layout === "site") {
    return "the mirror stores the unpacked site, but a deployment fetches one archive: use layout archive, or a registry as the destination";
  }
  return new URL(url).protocol === "file:"
    ? "the mirror is a folder on one machine: set its publicUrl to the address that serves this folder"
    : undefined;
}
