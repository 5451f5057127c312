import { z } from "zod";
import type { Store } from "../stores/store";
import { jsonText, parseJson, putText } from "../stores/textFile";
import { type Manifest, manifestSchema } from "./archiveManifest";
import { siteManifestName } from "./fileNames";
import { type MirrorOwner, ownersOf, sealOf } from "./mirrorOwner";

/** A file of a site, as it was published. */
export interface SiteFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** See `ObjectInfo`; a manifest calls it `mark`. */
  revision: string;
}

/** The list of a site's files at a destination. Its files are removed only if the mirror's key has sealed it. */
export interface SiteManifest extends Manifest {
  files: SiteFile[];
  /** More paths that may exist: during a publication, or after an incomplete one. */
  pending?: string[];
}

/** Others can write to the destination, and files are removed by these paths: none may lead out of it. */
const path = z
  .string()
  .refine((text) => !/[\\\p{Cc}]/u.test(text) && !text.split("/").some((step) => ["", ".", ".."].includes(step)));

const size = z.int().nonnegative();

const siteFileSchema = z
  .object({ path, sizeBytes: size, sha256: z.string(), mark: z.string() })
  .transform(({ mark, ...file }): SiteFile => ({ ...file, revision: mark }));

const siteManifestSchema = manifestSchema.extend({
  sizeBytes: size,
  seals: z.record(z.string(), z.string()).optional(),
  files: z.array(siteFileSchema),
  pending: z.array(path).optional(),
});

/** @returns undefined if there is none, and "unreadable" if the file is not a manifest. */
export async function readSiteManifest(store: Store): Promise<SiteManifest | "unreadable" | undefined> {
  const text = await store.read(siteManifestName);
  if (text === undefined) {
    return undefined;
  }
  const { data } = siteManifestSchema.safeParse(parseJson(text));
  return data === undefined ? "unreadable" : (data as SiteManifest);
}

/** Every path that may exist. */
export function pathsOf({ files, pending = [] }: SiteManifest): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}

/** Writes a manifest. If the owner is one of its mirrors, its key seals it. */
export async function putSiteManifest(
  store: Store,
  { mirror, key }: MirrorOwner,
  manifest: SiteManifest,
  signal: AbortSignal,
): Promise<void> {
  const mirrors = ownersOf(manifest);
  const kept = Object.entries(manifest.seals ?? {}).filter(([id]) => id !== mirror && mirrors.includes(id));
  const own = key !== undefined && mirrors.includes(mirror) ? [[mirror, sealOf(key, pathsOf(manifest))]] : [];
  const seals = Object.fromEntries([...kept, ...own]);
  const files = manifest.files.map(({ revision, ...file }) => ({ ...file, mark: revision }));
  await putText(store, siteManifestName, jsonText({ ...manifest, seals, files }), signal);
}

/** The largest size of a manifest of these files, in bytes. During a publication it contains each path twice. */
export function maxManifestBytes(paths: readonly string[]): number {
  // Size, sha256 and revision of a file, with the names of the fields and the indentation.
  const perFile = 400;
  return paths.reduce((bytes, path) => bytes + perFile + 2 * Buffer.byteLength(JSON.stringify(path)), 4_096);
}
