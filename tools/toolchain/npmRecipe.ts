import { existsSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { lastLines, runTool } from "../processes/runTool";
import type { NpmTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";

/** Returns the recipe that installs exactly what `package-lock.json` lists, without running install scripts. */
export function npmRecipe(tool: NpmTool): Recipe {
  const files = ["package.json", "package-lock.json"];
  const pins = pinsFolder(tool);
  const version = pinnedVersion(tool);
  return {
    keptName: `${tool.name}-${version}-${fingerprint(...files.map((file) => readFileSync(join(pins, file))))}`,
    doing: `installing ${tool.name} ${version} by npm`,
    async problemOf(folder) {
      return existsSync(scriptOf(tool, folder)) ? "" : `there is no ${scriptOf(tool, folder)}`;
    },
    async make(made, work, signal) {
      await Promise.all(files.map((file) => copyFile(join(pins, file), join(made, file))));
      const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
      const env = { npm_config_cache: join(work, "cache") };
      const install = await runTool("npm", ["ci", ...options], { cwd: made, env, timeLimit: 10 * 60_000, signal });
      return install.ok ? "" : `npm ci: ${install.problem}\n${lastLines(install.output, 10)}`;
    },
  };
}

export function scriptOf(tool: NpmTool, folder: string): string {
  return join(folder, "node_modules", tool.module, tool.script);
}
