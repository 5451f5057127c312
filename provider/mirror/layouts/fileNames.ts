import { createHash } from "node:crypto";
import type { ArchiveFormat } from "../archive/format";

export type LayoutName = "archive" | "site";

export const ownPrefix = ".bundle-mirror.";

export const siteManifestName = `${ownPrefix}json`;

export interface ArchiveFiles {
  archive: string;
  /** The file with the checksum, in the format of `sha256sum -c`. */
  checksum: string;
  manifest: string;
}

export function archiveFiles(jobId: string, format: ArchiveFormat): ArchiveFiles {
  const archive = `${stemOf(jobId)}.${format}`;
  return { archive, checksum: `${archive}.sha256`, manifest: manifestName(jobId) };
}

/** Returns the name of an archive's manifest. It does not depend on the format. */
export function manifestName(jobId: string): string {
  return `${stemOf(jobId)}.json`;
}

/**
 * The longest stem of a file name, in bytes. With any ending, the name has less than the 255 bytes that file systems
 * accept.
 */
const longestStem = 200;

/** Returns the encoded job id. A long id is cut, and a hash of the whole id is added. */
function stemOf(jobId: string): string {
  const stem = encodeURIComponent(jobId);
  if (stem.length <= longestStem) {
    return stem;
  }
  return `${stem.slice(0, longestStem - 17).replace(/%.?$/, "")}-${hashOf(jobId)}`;
}

/** Tells one job from another where the id itself cannot be in a name. */
export function hashOf(jobId: string): string {
  return createHash("sha256").update(jobId).digest("hex").slice(0, 16);
}

/** Returns the name of the file that readers request first; empty for the destination itself. */
export function entryPointName(layout: LayoutName, jobId: string, format: ArchiveFormat): string {
  return layout === "site" ? "" : archiveFiles(jobId, format).archive;
}
