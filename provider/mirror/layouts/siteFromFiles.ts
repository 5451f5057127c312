import { archiveError, quoted } from "../archive/archiveError";
import { isPage } from "./fileNames";
import { decideOuterFolder, isArchiverMetadataFile, type SiteSource } from "./outerFolder";
import type { PageLinkScanner } from "./pageLinks";

/**
 * Converts the files of an archive into a site. Files outside the folder to remove stay at the site's root.
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
  if (folder !== "") {
    source.info(
      `the whole site is in the folder ${quoted(folder)} of the archive: it is published without that folder`,
    );
  }
  const pathOf = (path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
  return { outerFolder, pathOf, files: files.map((file) => ({ ...file, path: pathOf(file.path) })) };
}
