import { hash } from "node:crypto";
import type { ArchiveFormat } from "../archive/format";

export type LayoutName = "archive" | "site";

export const ownFilePrefix = ".bundle-mirror.";

export const siteFileListName = `${ownFilePrefix}json`;

export function archiveFileNames(jobId: string, format: ArchiveFormat) {
  const archive = `${stemOf(jobId)}.${format}`;
  return { archive, checksum: `${archive}.sha256`, list: formatFileListName(jobId) };
}

export function formatFileListName(jobId: string): string {
  return `${stemOf(jobId)}.json`;
}

/**
 * The longest name without its ending, in bytes. With any of our endings, the name is shorter than the 255 bytes that
 * file systems accept.
 */
const longestStem = 200;

function stemOf(jobId: string): string {
  const stem = encodeURIComponent(jobId);
  if (stem.length <= longestStem) {
    return stem;
  }
  return `${stem.slice(0, longestStem - 17).replace(/%.?$/, "")}-${hashJobId(jobId)}`;
}

/** Returns a name for a job whose id cannot be part of a file name. Every job gets a different name. */
export function hashJobId(jobId: string): string {
  return hash("sha256", jobId).slice(0, 16);
}

export function isPage(path: string): boolean {
  return /\.html?$/i.test(path);
}
