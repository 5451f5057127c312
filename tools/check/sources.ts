import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../filesIn";
import { projectRoot } from "../projectRoot";

/** Returns the sources in these folders by path. `end` matches their file endings. A folder may be missing. */
export function sourcesIn(folders: readonly string[], end = /(?<!\.d)\.(ts|cts|mts)$/): Map<string, string> {
  const files = folders.flatMap((folder) => {
    try {
      return filesIn(join(projectRoot, folder)).map((file) => `${folder}/${file}`);
    } catch {
      return [];
    }
  });
  const sources = files.filter((file) => end.test(file) && !file.includes("/node_modules/"));
  return new Map(sources.map((file) => [file, readFileSync(join(projectRoot, file), "utf8")]));
}
