import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Returns true for a file that is not empty and that this user may execute. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    const found = statSync(file);
    return found.isFile() && found.size > 0;
  } catch {
    return false;
  }
}

/** Returns every executable with this name on PATH, in the order of PATH and without duplicates. */
export function executablesOnPath(name: string): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const files = folders.map((folder) => join(resolve(folder), name));
  return [...new Set(files)].filter(isExecutable);
}
