import { existsSync, readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { filesIn } from "../filesIn";
import { isExecutable } from "../processes/executables";
import { lastLines, runTool, type ToolOutcome } from "../processes/runTool";
import type { GoTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";
import { elapsed } from "./progress";

const proofLimit = 20_000;
/** A build at low priority beside the tests takes several times longer than alone. */
const buildLimit = 60 * 60_000;

/** Builds one executable with the user's `go`. Go's own build cache is shared by all tools. */
export function goRecipe(tool: GoTool): Recipe {
  return {
    keptName: keptName(tool),
    needs: tool.builtBy,
    doing: `building ${tool.name} ${pinnedVersion(tool)} from its Go module (about ${elapsed(tool.minutes * 60_000)}, once)`,
    problemOf: (folder) => problemOf(tool, folder),
    make: (made, work, signal) => goBuild(tool, made, work, signal),
  };
}

/** Builds a tool into a folder, and notes the version of Go there. Returns what went wrong, or an empty string. */
export async function goBuild(
  tool: Pick<GoTool, "name" | "pins" | "module" | "package" | "variables" | "script" | "companions">,
  made: string,
  work: string,
  signal: AbortSignal,
): Promise<string> {
  const options = { cwd: pinsFolder(tool), env: goEnvironment(work), timeLimit: buildLimit, signal };
  const go = (...args: string[]): Promise<ToolOutcome> => runTool("go", args, options);
  const version = await go("env", "GOVERSION");
  if (!version.ok) {
    return `go env: ${version.problem}`;
  }
  for (const each of [tool.package, ...(tool.companions ?? [])]) {
    const name = each === tool.package ? tool.name : basename(each);
    const built = await go(...buildArguments({ ...tool, package: each }, join(made, name)));
    if (!built.ok) {
      return `${version.stdout.trim()}, go build: ${each}: ${built.problem}\n${lastLines(built.output, 20)}`;
    }
  }
  await writeFile(join(made, "built-with.txt"), version.stdout);
  if (tool.script === undefined) {
    return "";
  }
  const module = await go("list", "-m", "-f", "{{.Dir}}", tool.module);
  if (module.ok) {
    await copyFile(join(module.stdout.trim(), tool.script), join(made, basename(tool.script)));
  }
  return module.problem;
}

/**
 * The name of the tool's folder in the cache. It changes with the pins and with the arguments of the build. The version of
 * Go is not a part of it, so that a kept tool is found without `go`.
 */
export function keptName(tool: GoTool): string {
  const folder = pinsFolder(tool);
  const files = filesIn(folder).filter((name) => /(^|\/)go\.(mod|sum)$|\.go$/.test(name));
  const contents = files.map((name) => readFileSync(join(folder, name)));
  const hash = fingerprint(JSON.stringify(buildArguments(tool, tool.name)), ...contents);
  return [tool.name, pinnedVersion(tool), process.platform, process.arch, hash].join("-");
}

function buildArguments(tool: Pick<GoTool, "pins" | "module" | "package" | "variables">, output: string): string[] {
  const variables = Object.entries(tool.variables?.(pinnedVersion(tool)) ?? {});
  const linker = ["-s", "-w", ...variables.map(([name, value]) => `-X ${name}=${value}`)].join(" ");
  return ["build", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", output, tool.package];
}

async function problemOf(tool: GoTool, folder: string): Promise<string> {
  const file = join(folder, tool.name);
  if (!isExecutable(file)) {
    return `there is no ${file}`;
  }
  const script = tool.script && join(folder, basename(tool.script));
  if (script && !existsSync(script)) {
    return `there is no ${script}`;
  }
  const outcome = await runTool(file, tool.versionArguments ?? ["-help"], { cwd: tmpdir(), timeLimit: proofLimit });
  if (!outcome.ok) {
    return outcome.problem;
  }
  if (tool.versionArguments === undefined) {
    return "";
  }
  const words = outcome.stdout.split(/\s+/).map((word) => word.replace(/^v/, ""));
  return words.includes(pinnedVersion(tool)) ? "" : `it tells "${outcome.stdout.trim().slice(0, 80)}" for its version`;
}

/** The user's own settings of Go (target system, workspace, flags) do not change the build. */
function goEnvironment(work: string): NodeJS.ProcessEnv {
  const systems: Record<string, string> = { win32: "windows" };
  const processors: Record<string, string> = { x64: "amd64", ia32: "386" };
  return {
    HOME: process.env.HOME ?? homedir(),
    // Debug information would be removed by the linker: a compiler that makes none needs about a seventh less time.
    GOFLAGS: "-mod=readonly -gcflags=all=-dwarf=false",
    CGO_ENABLED: "0",
    // The compiler and the linker collect garbage only at this size: a build needs a quarter less time.
    GOGC: "off",
    GOMEMLIMIT: "1GiB",
    GOWORK: "off",
    GOOS: systems[process.platform] ?? process.platform,
    GOARCH: processors[process.arch] ?? process.arch,
    // This folder is removed with all that a killed build leaves.
    GOTMPDIR: work,
  };
}
