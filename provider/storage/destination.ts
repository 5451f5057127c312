import { azblobScheme } from "./azblob/destination";
import { fileScheme } from "./file/destination";
import type { ImageStore } from "./imageStore";
import type { ObjectStorageClient, ObjectStore } from "./objectStore";
import { ociScheme } from "./oci/destination";
import { ociLayoutScheme } from "./oci-layout/destination";
import { s3Scheme } from "./s3/destination";
import type {
  AddressParseFailure,
  DestinationScheme,
  OpenableObjectScheme,
  OpenableScheme,
  OpenStoreOptions,
} from "./scheme";
import type { FileOrObjectStore } from "./store";

/** All kinds of stores, by the scheme of their addresses. */
export const destinationSchemes = {
  file: row(fileScheme, async (destination, { signal }) => {
    const { FileStore } = await import("./file/store.js");
    return new FileStore(destination, signal);
  }),
  s3: objectRow(s3Scheme, async () => (await import("./s3/client.js")).S3Objects),
  azblob: objectRow(azblobScheme, async () => (await import("./azblob/client.js")).AzureBlobs),
  oci: row(ociScheme, async (...given) => new (await import("./oci/store.js")).OciRegistryStore(...given)),
  "oci-layout": row(ociLayoutScheme, async (destination, { signal }) => {
    const { OciLayoutStore } = await import("./oci-layout/store.js");
    return new OciLayoutStore(destination, signal);
  }),
};

type Table = typeof destinationSchemes;
export type Destination = {
  [Kind in keyof Table]: Table[Kind] extends OpenableScheme<infer D> ? D : never;
}[keyof Table];
/** A place in an object storage. A journal can also be kept in such a place. */
export type ObjectDestination = {
  [Kind in keyof Table]: Table[Kind] extends OpenableObjectScheme<infer D> ? D : never;
}[keyof Table];

function row<D>(scheme: DestinationScheme<D>, open: OpenableScheme<D>["open"]): OpenableScheme<D> {
  return { ...scheme, open };
}

function objectRow<D>(
  scheme: DestinationScheme<D>,
  load: () => Promise<new (destination: D, options: OpenStoreOptions) => ObjectStorageClient>,
): OpenableObjectScheme<D> {
  return {
    ...scheme,
    async open(destination, options) {
      const [{ ObjectStore: Opened }, Client] = await Promise.all([import("./objectStore.js"), load()]);
      return new Opened(new Client(destination, options), options);
    },
  };
}

export function openStore(
  destination: Destination,
  options: OpenStoreOptions,
): Promise<FileOrObjectStore | ImageStore> {
  return rowOf(destination).open(destination, options);
}

export function openObjectStore(destination: ObjectDestination, options: OpenStoreOptions): Promise<ObjectStore> {
  return (rowOf(destination) as OpenableObjectScheme<Destination>).open(destination, options);
}

function rowOf({ kind }: Destination): OpenableScheme<Destination> {
  return destinationSchemes[kind];
}

/** This is a function, because the first use of `Intl` takes a sixth of a provider's start time. */
const listExamples = () =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(
    Object.values(destinationSchemes).map(({ example }) => example),
  );

/**
 * A problem's description contains no part of the text that could be a secret.
 * @param windows true if a folder's path may begin with a drive letter of Windows.
 */
export function parseDestination(
  text: string,
  windows = process.platform === "win32",
): Destination | AddressParseFailure {
  // A single letter before a colon is not a scheme, but a drive of Windows.
  const name = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) {
    return { problem: `is a path without a scheme: give ${listExamples()}` };
  }
  const scheme = Object.hasOwn(destinationSchemes, name) ? destinationSchemes[name as Destination["kind"]] : undefined;
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
 * Returns the reason why this machine cannot use a place. The reason begins with a verb, such as "sets the endpoint …".
 * The check sends nothing.
 */
export function explainUnusableDestination(destination: Destination): string | undefined {
  const { library, accessProblem } = rowOf(destination);
  const lacking = library?.package.missing();
  if (lacking !== undefined) {
    return `names ${library?.of}, which ${lacking}`;
  }
  return accessProblem?.(destination);
}

/** The segments are taken from the text, because `URL` removes `..`, which must be refused. */
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

export function isImageDestination(text: string): boolean {
  const parsed = parseDestination(text);
  return !("problem" in parsed) && destinationSchemes[parsed.kind].holds === "images";
}

export function isSamePlace(one: string, other: string): boolean {
  return JSON.stringify(parseDestination(one)) === JSON.stringify(parseDestination(other));
}
