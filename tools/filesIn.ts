import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns everything below a folder. A link is an entry of its own and is not followed. `readdirSync` with `recursive`
 * follows links in some versions of Node.js.
 */
export function entriesIn(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesIn(join(folder, entry.name))] : [entry],
  );
}

/** Every file below a folder, by its path from there with `/`, sorted. */
export function filesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}
