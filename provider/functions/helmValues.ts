import { booleanRule, objectOf, textRule, type ValidationRule } from "../definitions/rules";
import { unknown } from "../definitions/values";
import { ArgumentError, defineFunction } from "./function";

interface Mirror {
  url: string;
  version: string;
  layout?: string | undefined;
  sha256?: string | undefined;
}

/** A program passes Pulumi outputs; other callers pass texts. */
interface HelmSources<Bundle, Mirrored> {
  bundle?: Bundle | undefined;
  mirror?: Mirrored | undefined;
  sha256?: boolean | undefined;
  enabled?: boolean | undefined;
}

interface PlainHelmValuesArgs extends HelmSources<{ bundleUrl: string; version: string }, Mirror> {
  version?: string | undefined;
}

interface PlainHelmValues {
  staticExport:
    | { enabled: true; bundleUrl: string; version: string; sha256?: string }
    | { enabled: true; image: string; version: string }
    | { enabled: false };
}

/**
 * Only the presence of the arguments decides, because a preview does not know their content.
 * @returns undefined if `enabled` is false.
 * @throws ArgumentError if the program gives both a bundle and a mirror, or neither, or `sha256` with a bundle.
 */
export function chooseBundleOrMirror<Bundle, Mirrored>({
  bundle,
  mirror,
  sha256,
  enabled,
}: HelmSources<Bundle, Mirrored>): { bundle: Bundle } | { mirror: Mirrored } | undefined {
  if (enabled === false) {
    return undefined;
  }
  if (bundle !== undefined && mirror === undefined && !sha256) {
    return { bundle };
  }
  if (mirror !== undefined && bundle === undefined) {
    return { mirror };
  }
  throw new ArgumentError(
    sha256 && mirror === undefined
      ? "helmValues: a bundle has no sha256: give a mirror, or leave sha256 out"
      : "helmValues: give a bundle or a mirror, but not both; or give enabled: false",
  );
}

/** @throws ArgumentError as `chooseBundleOrMirror` does, and also if a deployment cannot fetch the mirror. */
export function plainHelmValues({ version, sha256, ...args }: PlainHelmValuesArgs): PlainHelmValues {
  const source = chooseBundleOrMirror({ ...args, sha256 });
  if (source === undefined) {
    return { staticExport: { enabled: false } };
  }
  if ("bundle" in source) {
    const { bundleUrl, version: own } = source.bundle;
    return { staticExport: { enabled: true, bundleUrl, version: version ?? own } };
  }
  const { mirror } = source;
  requireMirrorFetchableByChart(mirror.url, mirror.layout);
  const pin = version ?? mirror.version;
  if (isImage(mirror.url)) {
    // The image's URL contains a digest, so the values need no sha256.
    return { staticExport: { enabled: true, image: mirror.url, version: pin } };
  }
  if (sha256 && mirror.sha256 === undefined) {
    throw new ArgumentError("helmValues: sha256 is true, but this mirror has no sha256: give it beside the url");
  }
  const checksum = sha256 && mirror.sha256 !== undefined ? { sha256: mirror.sha256 } : {};
  return { staticExport: { enabled: true, bundleUrl: mirror.url, version: pin, ...checksum } };
}

/**
 * If the mirror does not exist yet, its public URL or its destination is checked. A destination in a registry is
 * accepted, because the mirror's url is checked later.
 * @throws ArgumentError if no deployment can fetch the mirror.
 */
export function requireMirrorFetchableByChart(address: string | undefined, layout: string | undefined): void {
  const reason = address === undefined || /^oci:/i.test(address) ? undefined : unreachableReason(address, layout);
  if (reason !== undefined) {
    throw new ArgumentError(`helmValues: ${reason}`);
  }
}

function unreachableReason(url: string, layout: string | undefined): string | undefined {
  if (isImage(url)) {
    return layout === "site"
      ? undefined
      : "the mirror stores the archive in a registry, but a deployment fetches archives by https: use layout site: a deployment can mount its image";
  }
  if (URL.canParse(url) && new URL(url).protocol === "oci-layout:") {
    return "the mirror is an image layout on one machine: copy it to a registry, and give the image there";
  }
  if (layout === "site") {
    return "the mirror stores the unpacked site, but a deployment fetches one archive: use layout archive, or a registry as the destination";
  }
  return new URL(url).protocol === "file:"
    ? "the mirror is a folder on one machine: set its publicUrl to the address that serves this folder"
    : undefined;
}

/** Returns true for an image reference with a digest, such as the url of a mirror in a registry. */
function isImage(url: string): boolean {
  return /^([^/:]+|\[[0-9a-f:]+\])(:\d+)?\/\S+@sha256:[0-9a-f]{64}$/.test(url);
}

/**
 * For a program that passes a whole resource as an argument. The function then gets only the resource's id. It must not
 * look the outputs up by the id: an id is never secret, so the SDK would not make the link in the result secret.
 */
const byOutputs = "give the outputs of the resource one by one, such as bundleUrl and version of a bundle";

function notAResource<T>(rule: ValidationRule<T>): ValidationRule<T> {
  const refusing = (value: unknown) => (typeof value === "string" ? `must be an object: ${byOutputs}` : rule(value));
  return Object.assign(refusing, { is: rule.is, members: rule.members ?? [] });
}

export const helmValuesFunction = defineFunction({
  name: "helmValues",
  inputs: {
    bundle: {
      rule: notAResource(
        objectOf({ bundleUrl: { rule: textRule, required: true }, version: { rule: textRule, required: true } }),
      ),
    },
    mirror: {
      rule: notAResource(
        objectOf({
          url: { rule: textRule, required: true },
          version: { rule: textRule, required: true },
          sha256: { rule: textRule },
          layout: { rule: textRule },
          destination: { rule: textRule },
          publicUrl: { rule: textRule },
        }),
      ),
    },
    sha256: { rule: booleanRule, default: false },
    enabled: { rule: booleanRule, default: true },
    version: { rule: textRule },
  },
  foresee({ mirror, enabled }) {
    const { destination, publicUrl = destination, layout } = Object(mirror);
    if (enabled !== false && enabled !== unknown && typeof publicUrl === "string") {
      requireMirrorFetchableByChart(publicUrl, layout === unknown ? undefined : layout);
    }
  },
  call(args) {
    if (args.enabled !== false && args.bundle === undefined && args.mirror === undefined) {
      throw new ArgumentError(`helmValues: give a bundle or a mirror, and ${byOutputs}`);
    }
    return plainHelmValues(args);
  },
});
