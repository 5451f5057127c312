import { createHash } from "node:crypto";
import type { BundleFormat } from "../archive/format";

/** How a bundle is stored at its destination. */
export type LayoutName = "archive" | "site";

/** The path of a site's manifest, below the destination. */
export const siteManifestName = ".bundle-mirror.json";

export interface ArchiveFiles {
  archive: string;
  /** In the format of `sha256sum -c`. */
  checksum: string;
  manifest: string;
}

/** The names of an archive at its destination, and of the files beside it. */
export function archiveFiles(jobId: string, format: BundleFormat): ArchiveFiles {
  const archive = `${stemOf(jobId)}.${format}`;
  return { archive, checksum: `${archive}.sha256`, manifest: manifestName(jobId) };
}

/** The name of an archive's manifest. It is the same for every format. */
export function manifestName(jobId: string): string {
  return `${stemOf(jobId)}.json`;
}

/** With any ending it is a name that file systems accept, which have 255 bytes for one. */
const longestStem = 200;

/** The encoded job id; of a long one the begin, and a hash of the whole. */
function stemOf(jobId: string): string {
  const stem = encodeURIComponent(jobId);
  if (stem.length <= longestStem) {
    return stem;
  }
  const hash = createHash("sha256").update(jobId).digest("hex").slice(0, 16);
  return `${stem.slice(0, longestStem - 17).replace(/%.?$/, "")}-${hash}`;
}

/** The name of the file that readers request first; empty for the destination itself. */
export function entryPointName(layout: LayoutName, jobId: string, format: BundleFormat): string {
  return layout === "site" ? "" : archiveFiles(jobId, format).archive;
}
