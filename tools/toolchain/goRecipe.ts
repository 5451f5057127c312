import { readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { filesIn } from "../filesIn";
import { isExecutable } from "../processes/executables";
import { lastLines, runTool, type ToolOutcome } from "../processes/runTool";
import type { GoTool } from "./catalogue";
import type { Recipe } from "./findOrBuild";
import { fingerprint, pinnedVersion, pinsFolder } from "./pins";

/** In milliseconds. At low priority during the tests, a build takes several times longer than alone. */
const buildLimit = 60 * 60_000;

/** The fields of a tool on which its build depends. */
type Buildable = Omit<GoTool, "builtBy">;

/** Returns the recipe that builds one executable with the user's `go`. All tools share Go's own build cache. */
export function goRecipe(tool: GoTool): Recipe {
  return {
    keptName: keptName(tool),
    doing: `building ${tool.name} ${pinnedVersion(tool)} from its Go module`,
    async problemOf(folder) {
      return isExecutable(join(folder, tool.name)) ? "" : `there is no ${join(folder, tool.name)}`;
    },
    make: (made, work, signal) => goBuild(tool, made, work, signal),
  };
}

/** Builds a tool, and records the version of Go. Returns a description of the problem, or an empty text. */
export async function goBuild(tool: Buildable, made: string, work: string, signal: AbortSignal): Promise<string> {
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

/** The name depends on the pins and the arguments, but not on Go's version: the cache also works without `go`. */
export function keptName(tool: Buildable): string {
  const folder = pinsFolder(tool);
  const files = filesIn(folder).filter((name) => /(^|\/)go\.(mod|sum)$|\.go$/.test(name));
  const contents = files.map((name) => readFileSync(join(folder, name)));
  const hash = fingerprint(JSON.stringify(buildArguments(tool, tool.name)), ...contents);
  return [tool.name, pinnedVersion(tool), process.platform, process.arch, hash].join("-");
}

function buildArguments(tool: Buildable, output: string): string[] {
  const version = pinnedVersion(tool);
  const [major = "", minor = ""] = version.split(".");
  const variables = Object.entries(tool.variables ?? {}).map(([name, value]) => {
    return `-X ${name}=${value.replace("$1", major).replace("$2", minor).replace("$", version)}`;
  });
  const linker = ["-s", "-w", ...variables].join(" ");
  return ["build", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", output, tool.package];
}

/** The user's own settings of Go (target system, workspace, flags) do not change the build. */
function goEnvironment(work: string): NodeJS.ProcessEnv {
  const systems: Record<string, string> = { win32: "windows" };
  const processors: Record<string, string> = { x64: "amd64", ia32: "386" };
  return {
    HOME: process.env.HOME ?? homedir(),
    // The compiler makes no debug information, because the linker removes it. This saves a seventh of the build's time.
    GOFLAGS: "-mod=readonly -gcflags=all=-dwarf=false",
    CGO_ENABLED: "0",
    // Go collects no garbage below 1 GiB of memory. This saves a quarter of the build's time.
    GOGC: "off",
    GOMEMLIMIT: "1GiB",
    GOWORK: "off",
    GOOS: systems[process.platform] ?? process.platform,
    GOARCH: processors[process.arch] ?? process.arch,
    // This folder is removed after the build, or before the next build if this process is killed.
    GOTMPDIR: work,
  };
}
