import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isExecutable } from "../processes/executables";
import { lastLines, runModule } from "../processes/runTool";
import type { PythonTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";

/** Run the modules only by `runModule`: the environment's own scripts fail, because they contain a removed path. */
export function pythonRecipe(tool: PythonTool): Recipe {
  const requirements = join(pinsFolder(tool), "requirements.txt");
  const version = pinnedVersion(tool);
  return {
    keptName: `${tool.name}-${version}-${fingerprint(readFileSync(requirements))}`,
    doing: `installing ${tool.name} ${version} from PyPI`,
    async problemOf(folder) {
      // After an upgrade of the machine, the environment's link to Python may have no target.
      return isExecutable(pythonOf(folder)) ? "" : `there is no ${pythonOf(folder)}`;
    },
    async make(made, work, signal) {
      const options = { cwd: work, timeLimit: 10 * 60_000, signal };
      const install = ["pip", "install", "--disable-pip-version-check", "--no-input", "--requirement", requirements];
      for (const [python, args] of [["python3", ["venv", made]] as const, [pythonOf(made), install] as const]) {
        const { ok, problem, output } = await runModule(python, args, options);
        if (!ok) {
          return `python3 -m ${args[0]}: ${problem}\n${lastLines(output, 10)}`;
        }
      }
      return "";
    },
  };
}

export function pythonOf(folder: string): string {
  return join(folder, "bin", "python");
}
