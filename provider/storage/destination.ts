import { type AzblobDestination, azblobScheme } from "./azblob/destination";
import { type FileDestination, fileScheme } from "./file/destination";
import { type OciDestination, ociScheme } from "./oci/destination";
import { type OciLayoutDestination, ociLayoutScheme } from "./oci-layout/destination";
import { type S3Destination, s3Scheme } from "./s3/destination";
import type { AddressProblem, Scheme } from "./scheme";

export type Destination = FileDestination | S3Destination | AzblobDestination | OciDestination | OciLayoutDestination;

export const schemes: { readonly [Kind in Destination["kind"]]: Scheme<Extract<Destination, { kind: Kind }>> } = {
  file: fileScheme,
  s3: s3Scheme,
  azblob: azblobScheme,
  oci: ociScheme,
  "oci-layout": ociLayoutScheme,
};

/** A function, because the first use of `Intl` takes a sixth of a provider's start time. */
const listExamples = () =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(Object.values(schemes).map(({ example }) => example));

/**
 * Parses a destination. The description of a problem contains no part of the text that could be a secret.
 * @param windows true if a folder's path may begin with a drive of Windows.
 * @returns the destination, or the problem.
 */
export function parseDestination(text: string, windows = process.platform === "win32"): Destination | AddressProblem {
  // A single letter before a colon is not a scheme, but a drive of Windows.
  const name = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) {
    return { problem: `is a path without a scheme: give ${listExamples()}` };
  }
  const scheme = Object.hasOwn(schemes, name) ? schemes[name as Destination["kind"]] : undefined;
  if (scheme === undefined) {
    return { problem: `has the scheme ${name}, which is not known: give ${listExamples()}` };
  }
  const isFolder = name === "file" || name === "oci-layout";
  if (!(isFolder ? /^[^:]+:\/\/\// : /^[^:]+:\/\/[^/]/).test(text) || !URL.canParse(text)) {
    return { problem: `is not an absolute address: give ${listExamples()}` };
  }
  const url = new URL(text);
  if (url.username || url.password || (!isFolder && /^[^:]+:\/\/[^/?#]*@/.test(text))) {
    return { problem: `must not contain credentials: ${scheme.credentials}` };
  }
  if (text.includes("#")) {
    return { problem: "must not contain a fragment; write # as %23" };
  }
  const steps = stepsOf(text);
  return typeof steps === "string" ? { problem: steps } : scheme.parse({ url, steps, windows });
}

/**
 * Why a place cannot be used from this machine, as the end of a sentence about it: a package is not installed, or
 * credentials would go to a server that this machine's settings do not name. Sends nothing.
 */
export function accessProblem(destination: Destination): string | undefined {
  const { library, accessProblem } = schemes[destination.kind] as Scheme<Destination>;
  const lacking = library?.package.missing();
  if (lacking !== undefined) {
    return `names ${library?.of}, which ${lacking}`;
  }
  return accessProblem?.(destination);
}

/** Returns the segments of the path as written, or the problem. Parsing as a URL would already have removed `..`. */
function stepsOf(text: string): string[] | string {
  const path = text.replace(/^[a-z0-9+.-]+:\/\/[^/?]*/i, "").replace(/\?.*$/s, "");
  const steps: string[] = [];
  for (const written of path.replace(/^\//, "").replace(/\/$/, "").split("/")) {
    let step: string;
    try {
      step = decodeURIComponent(written);
    } catch {
      return "has a % that does not begin an escape; write it as %25";
    }
    if (step === "." || step === "..") {
      return 'must not contain "." or ".." in its path';
    }
    if (/[/\\\p{Cc}\p{Surrogate}]/u.test(step)) {
      return "has a slash, a backslash or a control character in a name of its path";
    }
    steps.push(step);
  }
  if (steps.length > 1 && steps.includes("")) {
    return "has an empty name in its path";
  }
  return steps.filter((step) => step !== "");
}

export function holdsImages(text: string): boolean {
  const parsed = parseDestination(text);
  return !("problem" in parsed) && schemes[parsed.kind].holds === "images";
}

export function isSamePlace(one: string, other: string): boolean {
  return JSON.stringify(parseDestination(one)) === JSON.stringify(parseDestination(other));
}
