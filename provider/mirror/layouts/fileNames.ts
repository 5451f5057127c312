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
  const stem = encodeURIComponent(jobId);
  const archive = `${stem}.${format}`;
  return { archive, checksum: `${archive}.sha256`, manifest: manifestName(jobId) };
}

/** The name of an archive's manifest. It is the same for every format. */
export function manifestName(jobId: string): string {
  return `${encodeURIComponent(jobId)}.json`;
}

/** The name of the file that readers request first; empty for the destination itself. */
export function entryName(layout: LayoutName, jobId: string, format: BundleFormat): string {
  return layout === "site" ? "" : archiveFiles(jobId, format).archive;
}
