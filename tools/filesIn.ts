import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns every entry below a folder. A symbolic link is an entry and is not followed. The option `recursive` of
 * `readdirSync` is not used, because it follows links in some versions of Node.js.
 */
export function entriesIn(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesIn(join(folder, entry.name))] : [entry],
  );
}

/**
 * Returns the path of every file below a folder. The paths are relative to the folder, have `/` as separator, and are
 * sorted.
 */
export function filesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}
