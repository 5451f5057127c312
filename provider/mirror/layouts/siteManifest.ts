import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import type { ObjectInfo, Store } from "../../storage/store";
import { parseJson, putText } from "../../storage/textFile";
import { archiveError } from "../archive/error";
import { defaultLimits } from "../archive/limits";
import type { ArchivedFile } from "../archive/readArchive";
import { byteCount, hexDigest, type Manifest, manifestFields, mirrorName } from "./archiveManifest";
import { siteManifestName } from "./fileNames";
import { identitiesOf, type MirrorIdentity, type MirrorOwner, mirrorNameOf, ownersOf } from "./mirrorOwner";

/** A file of a site, as it was published. */
export interface SiteFile extends ArchivedFile {
  /**
   * See `ObjectInfo`. A manifest calls this field `mark`. It only helps to name a file that differs: the state knows
   * what was published.
   */
  revision: string;
}

/** The list of a site's files at a destination. The files are removed only if the mirror's key has sealed the list. */
export interface SiteManifest extends Manifest {
  files: SiteFile[];
  /** More paths that may exist: during a publication, or after an incomplete one. */
  pending?: string[] | undefined;
  /** The digest of the earlier list that this list replaces, as the state of that run knew it. */
  replaces?: string | undefined;
  /** For each mirror, an HMAC of all fields above. The HMAC leaves out the owners, which change, and the revisions. */
  seals?: Record<string, string> | undefined;
}

/** The size limit of a list, in bytes, for writing and for reading. */
export const maxListBytes = 32 * 1024 ** 2;
/** The largest number of paths in a list: during a publication the files of two versions may exist. */
const maxPaths = 2 * defaultLimits.files;

/**
 * Others can write to the destination, and files are removed by these paths: no path may lead out of the destination.
 */
const path = z
  .string()
  .refine((text) => !/[\\\p{Cc}]/u.test(text) && !text.split("/").some((step) => ["", ".", ".."].includes(step)));

const siteFileSchema = z
  .strictObject({ path, sizeBytes: byteCount, sha256: hexDigest, mark: z.string() })
  .transform(({ mark, ...file }): SiteFile => ({ ...file, revision: mark }));

/** Ends at the first fault, since a report of a hundred thousand faults takes seconds. */
const siteFiles = z.array(z.unknown()).transform((values, context): SiteFile[] => {
  const files: SiteFile[] = [];
  for (const value of values) {
    const { data } = siteFileSchema.safeParse(value);
    if (data === undefined) {
      context.addIssue({ code: "custom", message: "no file of a site" });
      return z.NEVER;
    }
    files.push(data);
  }
  return files;
});

const siteManifestSchema = z.strictObject({
  ...manifestFields,
  replaces: hexDigest.optional(),
  seals: z.record(mirrorName, hexDigest),
  files: siteFiles,
  pending: z.array(path).optional(),
});

/** @returns undefined if there is no manifest, and "unreadable" if the file is not a manifest. */
export async function readSiteManifest(store: Store): Promise<SiteManifest | "unreadable" | undefined> {
  const text = await store.read(siteManifestName, maxListBytes);
  if (text === undefined) {
    return undefined;
  }
  const value = hasFewTokens(text) ? parseJson(text) : undefined;
  return (hasFewValues(value) && siteManifestSchema.safeParse(value).data) || "unreadable";
}

/**
 * Returns true if a text is small enough to be parsed: a list of a million empty objects would block the process for
 * seconds.
 */
function hasFewTokens(text: string): boolean {
  let [quotes, brackets] = [16 * maxPaths, 5 * maxPaths];
  for (let at = 0; at < text.length && quotes >= 0 && brackets >= 0; at++) {
    const sign = text[at];
    quotes -= sign === '"' ? 1 : 0;
    brackets -= sign === "[" || sign === "{" ? 1 : 0;
  }
  return quotes >= 0 && brackets >= 0;
}

/** Returns true if a manifest is small enough to be checked: the check reads every value and reports every fault. */
function hasFewValues(value: unknown): boolean {
  const isFew = (field: unknown) => typeof field !== "object" || Object.keys(field ?? {}).length <= maxPaths;
  return typeof value === "object" && isFew(value) && Object.values(value ?? {}).every(isFew);
}

/** Returns every path that may exist. */
export function pathsOf({ files, pending = [] }: SiteManifest): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}

/**
 * Returns a digest of a published site: of its job, its archive, and every file's path, size and sha256. The order of
 * the files does not matter.
 */
export function listDigest(
  { jobId, sha256 }: { jobId: string; sha256: string },
  files: readonly ArchivedFile[],
): string {
  const lines = files.map((file) => [file.path, file.sizeBytes, file.sha256]);
  return digestOf([jobId, sha256, lines.sort(byPath)]);
}

/** Returns a digest of what the store has at this moment under a site's paths. */
export function revisionDigest(found: ReadonlyMap<string, Pick<ObjectInfo, "revision">>): string {
  return digestOf([...found].map(([path, { revision }]) => [path, revision]).sort(byPath));
}

function byPath([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/**
 * Returns true if a mirror was the last to write this manifest: its key has sealed the manifest, and the list is that
 * of the state, or that of a run that began with that state. An older list of the same mirror is neither.
 */
export function isSealedBy(manifest: SiteManifest, { key, files }: MirrorIdentity): boolean {
  return (
    manifest.seals?.[mirrorNameOf({ key })] === sealOf(key, manifest) &&
    (files === undefined || files === manifest.replaces || files === listDigest(manifest, manifest.files))
  );
}

function sealOf(key: string, { mirror: _, sharedWith: __, seals: ___, ...manifest }: SiteManifest): string {
  const files = manifest.files.map((file) => [file.path, file.sizeBytes, file.sha256]);
  const sealed = Object.entries({ ...manifest, files }).filter(([, value]) => value !== undefined);
  return createHmac("sha256", key)
    .update(JSON.stringify(sealed.sort(byPath)))
    .digest("hex");
}

/**
 * Writes a manifest, sealed by the owner and by the mirror that it replaces: after a killed run, the state contains
 * only one of the two. The seals of the other mirrors stay.
 */
export async function putSiteManifest(
  store: Store,
  owner: MirrorOwner,
  manifest: SiteManifest,
  signal: AbortSignal,
): Promise<void> {
  const owners = ownersOf(manifest);
  const kept = Object.entries(manifest.seals ?? {}).filter(([name]) => owners.includes(name));
  const own = identitiesOf(owner).map((identity) => [mirrorNameOf(identity), sealOf(identity.key, manifest)]);
  const text = manifestText({ ...manifest, seals: Object.fromEntries([...kept, ...own]) });
  if (Buffer.byteLength(text) > maxListBytes) {
    throw archiveError(
      `the list of this site's files, and of those that were there before, has more than ${maxListBytes} bytes`,
    );
  }
  await putText(store, siteManifestName, text, signal);
}

/**
 * Returns the text of a manifest, with a line for each file: people can read the text, and tools can compare its lines.
 */
function manifestText({ files, pending, ...facts }: SiteManifest): string {
  const lines = (values: readonly unknown[]) => values.map((value) => `\n    ${JSON.stringify(value)}`).join(",");
  const fields = [
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`"${name}": ${JSON.stringify(value)}`],
    ),
    `"files": [${lines(files.map(({ revision, ...file }) => ({ ...file, mark: revision })))}\n  ]`,
    ...(pending === undefined ? [] : [`"pending": [${lines(pending)}\n  ]`]),
  ];
  return `{\n  ${fields.join(",\n  ")}\n}\n`;
}

/** Returns true if the list of these files is short enough to be read back. */
export function isListable(paths: readonly string[]): boolean {
  // The bytes for the size, the sha256 and the revision of a file, with the names of the fields.
  const perFile = 200;
  return (
    paths.reduce((bytes, path) => bytes + perFile + Buffer.byteLength(JSON.stringify(path)), 4_096) <= maxListBytes
  );
}
