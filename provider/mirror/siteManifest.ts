import { z } from "zod";
import type { Manifest } from "./archiveManifest";
import { parseJson } from "./smallText";
import type { Store } from "./store";

/** Where a site's manifest lies, below the destination. */
export const siteManifestName = ".bundle-mirror.json";

/** A file of a site, as it was published. */
export interface SiteFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** See `Seen`. */
  mark: string;
}

/** What a destination holds of a site. */
export interface SiteManifest extends Manifest {
  files: SiteFile[];
  /** Paths that may be there beyond them: as long as a publication is under way, or after one that did not end. */
  pending?: string[];
}

/** It comes from where others can write, and files are removed by it: none may lie outside. */
const path = z
  .string()
  .refine((text) => !/[\\\p{Cc}]/u.test(text) && !text.split("/").some((step) => ["", ".", ".."].includes(step)));

const siteManifest = z.looseObject({
  jobId: z.string(),
  version: z.string(),
  mirror: z.string(),
  format: z.enum(["tar.gz", "tar", "zip"]),
  sha256: z.string(),
  sizeBytes: z.number(),
  mirroredAt: z.string(),
  tool: z.string(),
  files: z.array(z.object({ path, sizeBytes: z.number(), sha256: z.string(), mark: z.string() })),
  pending: z.array(path).optional(),
});

/** @returns undefined where there is none, and "unreadable" for a file that is no manifest. */
export async function readSiteManifest(store: Store): Promise<SiteManifest | "unreadable" | undefined> {
  const text = await store.read(siteManifestName);
  if (text === undefined) {
    return undefined;
  }
  const { data } = siteManifest.safeParse(parseJson(text));
  return data === undefined ? "unreadable" : (data as SiteManifest);
}

/** Every path that may be there. */
export function pathsOf({ files, pending = [] }: SiteManifest): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}
