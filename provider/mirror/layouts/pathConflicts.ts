import { toPathCollisionKey } from "../archive/duplicatePathCheck";

/** For the new file `a/b`, the existing paths `a/b`, `A/B`, `a` and `a/b/c` conflict. */
export function createPathConflictChecker(paths: readonly string[]): (path: string) => boolean {
  const keys = paths.map(toPathCollisionKey);
  const files = new Set(keys);
  const folders = new Set(keys.flatMap(foldersAround));
  return (path) => {
    const key = toPathCollisionKey(path);
    return files.has(key) || folders.has(key) || foldersAround(key).some((folder) => files.has(folder));
  };
}

export function foldersAround(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join("/"));
}
