import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { lastLines, runTool } from "../processes/runTool";
import type { NpmTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";
import { elapsed } from "./progress";

const installLimit = 10 * 60_000;

/** Installs exactly what `package-lock.json` names, without running install scripts. */
export function npmRecipe(tool: NpmTool): Recipe {
  const files = ["package.json", "package-lock.json"];
  const pins = pinsFolder(tool);
  const version = pinnedVersion(tool);
  return {
    keptName: `${tool.name}-${version}-${fingerprint(...files.map((file) => readFileSync(join(pins, file))))}`,
    doing: `installing ${tool.name} ${version} by npm (about ${elapsed(tool.minutes * 60_000)}, once)`,
    // To start it would take seconds at every call. A folder is kept only after npm has installed everything.
    async problemOf(folder) {
      const found = installedVersion(folder, tool.module);
      return found === version ? "" : `${folder} has ${tool.module} ${found ?? "not at all"}`;
    },
    async make(made, work, signal) {
      await Promise.all(files.map((file) => copyFile(join(pins, file), join(made, file))));
      const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
      const env = { npm_config_cache: join(work, "cache") };
      const install = await runTool("npm", ["ci", ...options], { cwd: made, env, timeLimit: installLimit, signal });
      return install.ok ? "" : `npm ci: ${install.problem}\n${lastLines(install.output, 10)}`;
    },
  };
}

function installedVersion(folder: string, name: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}
