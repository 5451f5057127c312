import { archiveError } from "../archive/archiveError";
import { isPage } from "./fileNames";
import { decideOuterFolder, isArchiverMetadataFile, reportRemovedOuterFolder, type SiteSource } from "./outerFolder";
import type { PageLinkScanner } from "./pageLinks";

/**
 * Converts the files of an archive into a site, and returns the folder to remove.
 * @throws ArchiveError if the files cannot become a site.
 */
export function siteFromFiles<T extends { path: string }>(
  files: readonly T[],
  links: PageLinkScanner,
  source: SiteSource,
) {
  if (!files.some(({ path }) => isPage(path) && !isArchiverMetadataFile(path))) {
    throw archiveError("the archive has no page (.html)");
  }
  const paths = files.map(({ path }) => path);
  const { outerFolder, folder } = decideOuterFolder(paths, links, source.outerFolder);
  reportRemovedOuterFolder(source, folder);
  return { outerFolder, folder, files: files.map((file) => ({ ...file, path: folder.pathOf(file.path) })) };
}
