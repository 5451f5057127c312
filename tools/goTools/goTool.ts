import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A tool that is built from a public Go module. */
export interface GoTool {
  /** Of the executable. */
  readonly name: string;
  /** Holds the go.mod, go.sum and Go files that pin the tool. They are the only place where its version is written. */
  readonly folder: string;
  /** The module whose version is the tool's. */
  readonly module: string;
  /** The package with the tool's `main`. */
  readonly package: string;
  /** The string variables that are set at the build, most of all the one that tells the version. */
  readonly variables: (version: string) => Readonly<Record<string, string>>;
  /** With these arguments the tool prints its version and ends; of one that cannot, its help is the proof that it runs. */
  readonly versionArguments?: readonly string[];
  /** How long a cold build takes on two cores, as a person says it. */
  readonly buildTime: string;
}

/** The version of a tool that its go.mod pins, without a "v". */
export function pinnedVersion(tool: GoTool): string {
  const file = join(tool.folder, "go.mod");
  const line = new RegExp(`^\\s*(?:require\\s+)?${tool.module.replaceAll(".", "\\.")}\\s+v(\\S+)`, "m");
  const version = line.exec(readFileSync(file, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} does not pin ${tool.module}`);
  return version;
}

/** The arguments of `go` that build a tool into a file. */
export function buildArguments(tool: GoTool, output: string): string[] {
  const variables = Object.entries(tool.variables(pinnedVersion(tool))).map(([name, value]) => `-X ${name}=${value}`);
  const linker = ["-s", "-w", ...variables].join(" ");
  return ["build", "-trimpath", "-buildvcs=false", "-ldflags", linker, "-o", output, tool.package];
}

/** The name under which a build is kept. It changes with everything that goes into the build but the version of Go. */
export function keptName(tool: GoTool): string {
  const hash = createHash("sha256").update(JSON.stringify(buildArguments(tool, tool.name)));
  for (const file of readdirSync(tool.folder).sort()) {
    if (/^go\.(mod|sum)$|\.go$/.test(file)) hash.update(readFileSync(join(tool.folder, file)));
  }
  const recipe = hash.digest("hex").slice(0, 8);
  return [tool.name, pinnedVersion(tool), process.platform, process.arch, recipe].join("-");
}
