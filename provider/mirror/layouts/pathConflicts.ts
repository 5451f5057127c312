import { samePathKey } from "../archive/uniquePaths";

/**
 * Returns a function that returns true for an existing path that conflicts with these new files. There are three
 * conflicts: an equal name, also with other letter case, since some file systems ignore the case; a file where a folder
 * is needed; anything inside a folder where a file is needed.
 */
export function conflictsWith(paths: readonly string[]): (path: string) => boolean {
  const keys = paths.map(samePathKey);
  const files = new Set(keys);
  const folders = new Set(keys.flatMap(foldersAround));
  return (path) => {
    const key = samePathKey(path);
    return files.has(key) || folders.has(key) || foldersAround(key).some((folder) => files.has(folder));
  };
}

export function foldersAround(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}
