import type { ArchiveFormat } from "../archive/format";

/** How a bundle lies at its destination. */
export type LayoutName = "archive" | "site";

/** Where a site's manifest lies, below the destination. */
export const siteManifestName = ".bundle-mirror.json";

export interface ArchiveFiles {
  archive: string;
  /** As `sha256sum -c` takes it. */
  checksum: string;
  manifest: string;
}

/** The names of an archive at its destination, and of what stands beside it. */
export function archiveFiles(jobId: string, format: ArchiveFormat): ArchiveFiles {
  const stem = encodeURIComponent(jobId);
  const archive = `${stem}.${format}`;
  return { archive, checksum: `${archive}.sha256`, manifest: manifestName(jobId) };
}

/** The name of an archive's manifest, which is the same for every format. */
export function manifestName(jobId: string): string {
  return `${encodeURIComponent(jobId)}.json`;
}

/** The name of what a reader asks a destination for first; empty for the destination itself. */
export function entryName(layout: LayoutName, jobId: string, format: ArchiveFormat): string {
  return layout === "site" ? "" : archiveFiles(jobId, format).archive;
}
