import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lastLines, type RunOptions, runTool } from "../processes/runTool";
import { projectRoot } from "../projectRoot";
import type { ReleaseTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { pinnedVersion, pinsFolder } from "./pins";

const limit = 30 * 60_000;
const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline"];

class StepFailed extends Error {}

/** Returns the recipe that packs the pinned commit of this project, and installs the package as a user does. */
export function releaseRecipe(tool: ReleaseTool): Recipe {
  const commit = pinnedVersion(tool);
  return {
    keptName: `${tool.name}-${commit}`,
    doing: `packing the last release (${commit})`,
    async problemOf(folder) {
      const lacking = [releasedPackageFolder(tool, folder), releasedProviderFolder(folder)].find(
        (path) => !existsSync(path),
      );
      return lacking === undefined ? "" : `there is no ${lacking}`;
    },
    async make(made, work, signal) {
      try {
        await checkCommit(tool, commit, signal);
        await makeRelease(tool, commit, { made, source: join(work, "source"), signal });
        return "";
      } catch (error) {
        if (error instanceof StepFailed) {
          return error.message;
        }
        throw error;
      }
    },
  };
}

export function releasedPackageFolder({ module }: Pick<ReleaseTool, "module">, folder: string): string {
  return join(folder, "node_modules", module);
}

export function releasedProviderFolder(folder: string): string {
  return join(folder, "terraform");
}

async function checkCommit(tool: ReleaseTool, commit: string, signal: AbortSignal): Promise<void> {
  const found = await runTool("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: projectRoot, signal });
  if (!found.ok) {
    const pin = join(pinsFolder(tool), "package.json");
    throw new StepFailed(
      `this clone has no commit ${commit}, which ${pin} names as the last release, so no test can go on from what it wrote. ` +
        "Get the whole history (git fetch --unshallow --tags), or clone the repository by git, without --depth",
    );
  }
}

interface Folders {
  made: string;
  source: string;
  signal: AbortSignal;
}

async function makeRelease(tool: ReleaseTool, commit: string, { made, source, signal }: Folders): Promise<void> {
  const step = async (cwd: string, command: string, ...args: string[]) => {
    const options: RunOptions = { cwd, signal, timeLimit: limit };
    const { ok, problem, output } = await runTool(command, args, options);
    if (!ok) {
      throw new StepFailed(`${command} ${args[0]}, of ${commit}: ${problem}\n${lastLines(output, 10)}`);
    }
  };
  await mkdir(source);
  const archive = join(source, "..", "source.tar");
  await step(projectRoot, "git", "archive", "--output", archive, commit);
  await step(source, "tar", "-xf", archive);
  // If the lockfiles are equal, the packages of this clone are used, because an installation takes minutes.
  const lockfile = "package-lock.json";
  if ((await readFile(join(source, lockfile), "utf8")) === readFileSync(join(projectRoot, lockfile), "utf8")) {
    await symlink(join(projectRoot, "node_modules"), join(source, "node_modules"));
  } else {
    await step(source, "npm", "ci", "--ignore-scripts", ...quiet);
  }
  await step(source, "npm", "run", "build");
  await step(source, "npm", "pack", "--ignore-scripts", "--pack-destination", made);
  const bundle = `require("./tools/release/terraform/bundle").bundleProvider(${JSON.stringify(releasedProviderFolder(made))}, "0.0.0")`;
  await step(source, "npx", "tsx", "-e", bundle);
  const { version, devDependencies, peerDependencies } = JSON.parse(
    await readFile(join(source, "package.json"), "utf8"),
  );
  // The libraries of the simulated platform are left out, because the tests use the simulated platform of this clone.
  const peers = Object.keys(peerDependencies).filter(
    (name) => name.startsWith("@pulumi/") || /^@a(ws|zure)/.test(name),
  );
  const dependencies = {
    [tool.module]: `file:${tool.module}-${version}.tgz`,
    ...Object.fromEntries(peers.map((name) => [name, devDependencies[name]])),
  };
  await writeFile(join(made, "package.json"), JSON.stringify({ private: true, dependencies }));
  await step(made, "npm", "install", "--ignore-scripts", ...quiet);
}
