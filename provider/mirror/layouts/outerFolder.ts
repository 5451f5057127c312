import { ArchiveError } from "../../support/errors";
import { words } from "../../support/words";
import { archiveError, quoteForMessage } from "../archive/archiveError";
import { toPathCollisionKey } from "../archive/duplicatePathCheck";
import type { BundleSource } from "../transfer/openArchive";
import { isPage } from "./fileNames";
import type { PageLinkScanner } from "./pageLinks";

/**
 * The decision about a folder around the whole site. Later publications repeat the decision, so that pages keep their
 * addresses. `"none"` means that the first archive had no such folder.
 */
export type OuterFolderDecision = "remove" | "keep" | "none";

interface FolderRule {
  /** Takes precedence over `earlier`. */
  wanted?: "remove" | "keep" | undefined;
  earlier?: OuterFolderDecision | undefined;
  /**
   * The last segment of the site's address. In a link of a page, this name means the site itself, and not a folder in
   * the archive.
   */
  base?: string | undefined;
}

export interface SiteSource extends BundleSource {
  outerFolder: FolderRule;
}

/** @throws ArchiveError if the files cannot become a site. A file that is not in the removed folder keeps its path. */
export function applyOuterFolderRule<T extends { path: string }>(
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
      `the whole site is in the folder ${quoteForMessage(folder)} of the archive: it is published without that folder`,
    );
  }
  const pathOf = (path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
  return { outerFolder, pathOf, files: files.map((file) => ({ ...file, path: pathOf(file.path) })) };
}

/**
 * @returns the decision, and the folder that the publication removes from the paths. An empty text means no folder.
 * @throws ArchiveError if the archive does not show which addresses the pages must have.
 */
function decideOuterFolder(
  paths: readonly string[],
  links: PageLinkScanner,
  { wanted, earlier, base }: FolderRule,
): { outerFolder: OuterFolderDecision; folder: string } {
  const rule = wanted ?? earlier;
  if (rule === "keep") {
    return { outerFolder: "keep", folder: "" };
  }
  const hasIndex = paths.includes("index.html");
  const around = folderAround(paths);
  if (rule === "remove" && (around === undefined) !== hasIndex) {
    throw undecided(
      around === undefined
        ? "the archive has no single folder around the site that could be removed"
        : `the archive has an index.html at its root and another one in its folder ${quoteForMessage(around)}`,
      earlier,
    );
  }
  if (around === undefined || hasIndex) {
    return { outerFolder: rule ?? "none", folder: "" };
  }
  const through =
    around !== base && links.leadThrough(around) ? `, and its pages address each other by /${around}/` : "";
  if (wanted === undefined && (earlier === "none" || (earlier === "remove" && through !== ""))) {
    throw undecided(`the archive has the whole site in the folder ${quoteForMessage(around)}${through}`, earlier);
  }
  if (rule === undefined && through !== "") {
    return { outerFolder: "keep", folder: "" };
  }
  requireNoTwins(paths, around);
  return { outerFolder: "remove", folder: around };
}

/** Packing programs, such as those of macOS, add files that do not belong to the site. */
function isArchiverMetadataFile(path: string): boolean {
  return path.startsWith("__MACOSX/") || /(^|\/)(\._[^/]*|\.DS_Store)$/.test(path);
}

/** Returns the only folder at the root, if it directly contains an `index.html`. Files at the root are ignored. */
function folderAround(paths: readonly string[]): string | undefined {
  const folders = new Set<string>();
  for (const path of paths) {
    const [folder = "", ...deeper] = path.split("/");
    // A hidden folder, such as .well-known, is never a site.
    if (deeper.length > 0 && !folder.startsWith(".") && !isArchiverMetadataFile(path)) {
      folders.add(folder);
    }
  }
  const [only] = folders;
  return folders.size === 1 && paths.includes(`${only}/index.html`) ? only : undefined;
}

/** @throws ArchiveError if two paths become equal when the folder is removed. */
function requireNoTwins(paths: readonly string[], folder: string): void {
  const within = new Map<string, string>();
  for (const path of paths.filter((one) => one.startsWith(`${folder}/`))) {
    within.set(toPathCollisionKey(path.split("/")[1] ?? ""), path);
  }
  for (const path of paths.filter((one) => !one.startsWith(`${folder}/`))) {
    const twin = within.get(toPathCollisionKey(path.split("/")[0] ?? ""));
    if (twin !== undefined) {
      throw undecided(
        `the archive has ${quoteForMessage(path)} beside its folder ${quoteForMessage(folder)}, and ${quoteForMessage(twin)} in it`,
        undefined,
      );
    }
  }
}

const earlierText: Readonly<Record<OuterFolderDecision, string>> = {
  remove: ", but the earlier publication had its index page at the root, without a folder around the site",
  keep: "",
  none: ", but the archive of the earlier publication had no single folder around the site",
};

function undecided(happened: string, earlier: OuterFolderDecision | undefined): ArchiveError {
  const name = words.name("outerFolder");
  return new ArchiveError({
    happened: `${happened}${earlier === undefined ? "" : earlierText[earlier]}: the pages would get other addresses, or lose them`,
    remedy: `set \`${name}\` to "keep" to publish the paths as they are in the archive, or to "remove" to remove the folder; or export the site as before.`,
  });
}
