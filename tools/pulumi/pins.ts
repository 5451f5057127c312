import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What the project's go.mod files pin. They are the only place where these versions are written. */
export interface Pins {
  /** The version of the Pulumi command line, without a "v". */
  readonly engine: string;
  /** The version of the module that holds the Node.js language host, without a "v". */
  readonly hosts: string;
  /** The oldest Go that builds both. */
  readonly go: string;
  /** The folder of the go.mod of the command line. */
  readonly engineFolder: string;
  /** The folder of the go.mod of the language host. */
  readonly hostsFolder: string;
  /** Changes with every module version and with the way they are built: a kept build of other content is not reused. */
  readonly fingerprint: string;
}

/** Raise it when the build's flags or the content of the folder change. */
const recipe = "1";

/** Reads the pinned versions from the go.mod files beside this file. */
export function readPins(): Pins {
  const engineFolder = join(__dirname, "engine");
  const hostsFolder = join(__dirname, "languageHosts");
  const engineModule = readFileSync(join(engineFolder, "go.mod"), "utf8");
  const hostsModule = readFileSync(join(hostsFolder, "go.mod"), "utf8");
  return {
    engine: pinned(engineModule, /^\s*(?:require\s+)?github\.com\/pulumi\/pulumi\/pkg\/v3\s+v(\S+)/m),
    hosts: pinned(hostsModule, /^\s*(?:require\s+)?github\.com\/pulumi\/pulumi\/sdk\/v3\s+v(\S+)/m),
    go: newest([engineModule, hostsModule].map((text) => pinned(text, /^go\s+(\S+)/m))),
    engineFolder,
    hostsFolder,
    fingerprint: fingerprint([engineFolder, hostsFolder]),
  };
}

function pinned(goModule: string, line: RegExp): string {
  const version = line.exec(goModule)?.[1];
  if (version === undefined) throw new Error(`a go.mod under ${__dirname} has no line that fits ${line}`);
  return version;
}

function newest(versions: readonly string[]): string {
  return [...versions].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "";
}

function fingerprint(folders: readonly string[]): string {
  const hash = createHash("sha256").update(recipe);
  for (const folder of folders) {
    for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(folder, file)));
  }
  return hash.digest("hex").slice(0, 8);
}
