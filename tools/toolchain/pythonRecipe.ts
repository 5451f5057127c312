import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isExecutable } from "../processes/executables";
import { lastLines, runModule } from "../processes/runTool";
import type { PythonTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";
import { elapsed } from "./progress";

const proofLimit = 60_000;
const installLimit = 10 * 60_000;

/**
 * Makes a virtual environment that holds exactly what `requirements.txt` names. Run its modules with `runModule` only: the
 * scripts of a virtual environment name the folder in which they were made, and the folder is renamed when it is finished.
 */
export function pythonRecipe(tool: PythonTool): Recipe {
  const requirements = join(pinsFolder(tool), "requirements.txt");
  const version = pinnedVersion(tool);
  return {
    keptName: `${tool.name}-${version}-${fingerprint(readFileSync(requirements))}`,
    needs: tool.builtBy,
    doing: `installing ${tool.name} ${version} from PyPI (about ${elapsed(tool.minutes * 60_000)}, once)`,
    async problemOf(folder) {
      // After an upgrade of the machine's Python the link to it leads nowhere.
      if (!isExecutable(pythonOf(folder))) {
        return `there is no ${pythonOf(folder)}`;
      }
      return (await runModule(pythonOf(folder), tool.proof, { cwd: tmpdir(), timeLimit: proofLimit })).problem;
    },
    async make(made, work, signal) {
      const options = { cwd: work, timeLimit: installLimit, signal };
      const venv = await runModule("python3", ["venv", made], options);
      if (!venv.ok) {
        return `python3 -m venv: ${venv.problem}\n${lastLines(venv.output, 10)}`;
      }
      const install = ["pip", "install", "--disable-pip-version-check", "--no-input", "--requirement", requirements];
      const pip = await runModule(pythonOf(made), install, options);
      return pip.ok ? "" : `pip install: ${pip.problem}\n${lastLines(pip.output, 10)}`;
    },
  };
}

/** The Python of an environment. */
export function pythonOf(folder: string): string {
  return join(folder, "bin", "python");
}
