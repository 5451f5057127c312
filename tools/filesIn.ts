import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Returns every entry below a folder. Unlike `readdirSync` in some versions of Node.js, never follows links. */
export function entriesIn(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesIn(join(folder, entry.name))] : [entry],
  );
}

/** Returns the sorted paths of all files below a folder, relative to the folder, with `/` as separator. */
export function filesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}
