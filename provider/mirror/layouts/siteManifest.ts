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

/** What a destination holds of a site. What it names is removed only where a key of the mirror has sealed it. */
export interface SiteManifest extends Manifest {
  files: SiteFile[];
  /** Paths that may be there beyond them: as long as a publication is under way, or after one that did not end. */
  pending?: string[];
}

/** It comes from where others can write, and files are removed by it: none may lie outside. */
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

/** @returns undefined where there is none, and "unreadable" for a file that is no manifest. */
export async function readSiteManifest(store: Store): Promise<SiteManifest | "unreadable" | undefined> {
  const text = await store.read(siteManifestName);
  if (text === undefined) {
    return undefined;
  }
  const { data } = siteManifestSchema.safeParse(parseJson(text));
  return data === undefined ? "unreadable" : (data as SiteManifest);
}

/** Every path that may be there. */
export function pathsOf({ files, pending = [] }: SiteManifest): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}

/** Puts a manifest, sealed by the owner where that is one of its mirrors. */
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

/** What the manifest of these files has at most, in bytes: each one is named twice while they are published. */
export function maxManifestBytes(paths: readonly string[]): number {
  // Size, sha256 and revision of a file, the names of its fields and the blanks before them.
  const perFile = 400;
  return paths.reduce((bytes, path) => bytes + perFile + 2 * Buffer.byteLength(JSON.stringify(path)), 4_096);
}
