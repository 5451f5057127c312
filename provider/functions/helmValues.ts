import { booleanRule, objectOf, type Rule, textRule } from "../definitions/rules";
import { unknown } from "../definitions/values";
import { ArgumentError, defineFunction } from "./function";

/** The inputs of a mirror that may not exist yet. */
interface MirrorPlace {
  destination?: string | undefined;
  publicUrl?: string | undefined;
  layout?: string | undefined;
}

interface PlainHelmValuesArgs {
  bundle?: { bundleUrl: string; version: string } | undefined;
  mirror?: ({ url: string; version: string } & MirrorPlace) | undefined;
  enabled?: boolean | undefined;
  version?: string | undefined;
}

interface PlainHelmValues {
  staticExport:
    | { enabled: true; bundleUrl: string; version: string }
    | { enabled: true; image: string; version: string }
    | { enabled: false };
}

/**
 * The values of arguments that are all known.
 * @throws ArgumentError if it is enabled without exactly one of bundle and mirror, or by a mirror that a deployment cannot fetch.
 */
export function plainHelmValues({ bundle, mirror, enabled, version }: PlainHelmValuesArgs): PlainHelmValues {
  if (enabled === false) {
    return { staticExport: { enabled: false } };
  }
  if (bundle !== undefined && mirror === undefined) {
    return { staticExport: { enabled: true, bundleUrl: bundle.bundleUrl, version: version ?? bundle.version } };
  }
  if (mirror !== undefined && bundle === undefined) {
    refuseUnreachable(mirror.url, mirror.layout);
    const pin = version ?? mirror.version;
    return isImage(mirror.url)
      ? { staticExport: { enabled: true, image: mirror.url, version: pin } }
      : { staticExport: { enabled: true, bundleUrl: mirror.url, version: pin } };
  }
  throw new ArgumentError("helmValues: give a bundle or a mirror, but not both; or give enabled: false");
}

/**
 * Refuses a mirror that may not exist yet, if no deployment will be able to fetch it. Of a registry only the finished mirror
 * tells.
 * @throws ArgumentError
 */
export function requireReachable({ destination, publicUrl = destination, layout }: MirrorPlace): void {
  if (publicUrl !== undefined && !/^oci:/i.test(publicUrl)) {
    refuseUnreachable(publicUrl, layout);
  }
}

function refuseUnreachable(url: string, layout: string | undefined): void {
  const reason = unreachableReason(url, layout);
  if (reason !== undefined) {
    throw new ArgumentError(`helmValues: ${reason}`);
  }
}

/** A reference with a digest: the url of a mirror in a registry. */
function isImage(url: string): boolean {
  return /^([^/:]+|\[[0-9a-f:]+\])(:\d+)?\/\S+@sha256:[0-9a-f]{64}$/.test(url);
}

/** Why a deployment cannot fetch the archive of a mirror; undefined if it can. */
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

/**
 * A function receives a resource as its id, and in a preview not at all. The provider cannot add the outputs of the
 * resource: a result that holds a link must be secret, and only the SDKs that know an argument to be secret keep the
 * result secret.
 */
const byOutputs = "give the outputs of the resource one by one, such as bundleUrl and version of a bundle";

function notAResource<T>(rule: Rule<T>): Rule<T> {
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
          layout: { rule: textRule },
          destination: { rule: textRule },
          publicUrl: { rule: textRule },
        }),
      ),
    },
    enabled: { rule: booleanRule, default: true },
    version: { rule: textRule },
  },
  foresee({ mirror, enabled }) {
    const { destination, publicUrl, layout } = Object(mirror);
    if (enabled === false || enabled === unknown || typeof destination !== "string" || publicUrl === unknown) {
      return;
    }
    requireReachable({ destination, publicUrl, layout: layout === unknown ? undefined : layout });
  },
  call(args) {
    if (args.enabled !== false && args.bundle === undefined && args.mirror === undefined) {
      throw new ArgumentError(`helmValues: give a bundle or a mirror, and ${byOutputs}`);
    }
    return plainHelmValues(args);
  },
});
