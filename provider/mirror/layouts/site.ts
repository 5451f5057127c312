import { archiveError } from "../archive/error";
import type { ArchiveFormat } from "../archive/format";
import { type ArchivedFile, type ArchiveEntry, readArchive, verifyArchive } from "../archive/readArchive";
import { isPage } from "./fileNames";
import {
  decideFolder,
  isOfPacker,
  type OuterFolder,
  type RemovedFolder,
  type SiteSource,
  showRemovedFolder,
} from "./outerFolder";
import { PageLinks } from "./pageLinks";

export interface VerifiedSite {
  outerFolder: OuterFolder;
  folder: RemovedFolder;
  files: ArchivedFile[];
}

/** @throws ArchiveError as `verifyArchive` does, and if the archive cannot become a site. */
export async function verifySite(
  file: string,
  format: ArchiveFormat,
  source: SiteSource,
  signal: AbortSignal,
): Promise<VerifiedSite> {
  const links = new PageLinks();
  const files = await verifyArchive(file, format, { signal, observe: (path, content) => links.read(path, content) });
  return siteOf(files, links, source);
}

export async function* readSite(
  file: string,
  format: ArchiveFormat,
  folder: RemovedFolder,
): AsyncGenerator<ArchiveEntry> {
  for await (const entry of readArchive(file, format)) {
    yield { ...entry, path: folder.pathOf(entry.path) };
  }
}

/**
 * Converts the files of an archive into a site, and returns the folder to remove.
 * @throws ArchiveError if the files cannot become a site.
 */
export function siteOf<T extends { path: string }>(files: readonly T[], links: PageLinks, source: SiteSource) {
  if (!files.some(({ path }) => isPage(path) && !isOfPacker(path))) {
    throw archiveError("the archive has no page (.html)");
  }
  const paths = files.map(({ path }) => path);
  const { outerFolder, folder } = decideFolder(paths, links, source.outerFolder);
  showRemovedFolder(source, folder);
  return { outerFolder, folder, files: files.map((file) => ({ ...file, path: folder.pathOf(file.path) })) };
}
