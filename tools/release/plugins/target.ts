import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";

/** The Node.js of a target, as a package of the npm registry. */
interface NodePin {
  package: string;
  version: string;
  integrity: string;
}

interface Pins {
  version: string;
  /** npm has no package for Windows on ARM, so this target uses the package for amd64. */
  targets: Record<string, Omit<NodePin, "version">>;
}

/**
 * The Node.js project does not publish the npm packages. Before you raise a pin, compare the executable's sha256 with
 * the release on nodejs.org. The Node.js project signs the release's list, `SHASUMS256.txt.asc`.
 */
const pins: Pins = JSON.parse(
  readFileSync(join(projectRoot, "tools", "pins", "node-binaries", "targets.json"), "utf8"),
);

/** A system and a processor, by the names that Go and the engine use, such as `linux-amd64`. */
export interface Target {
  readonly name: string;
  readonly os: string;
  readonly arch: string;
  readonly node: NodePin;
}

export const targets: readonly Target[] = Object.entries(pins.targets).map(([name, node]) => {
  const [os = "", arch = ""] = name.split("-");
  return { name, os, arch, node: { ...node, version: pins.version } };
});

/** @throws Error that names all targets, if this target is unknown. */
export function targetNamed(name: string): Target {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) {
    throw new Error(`there is no target ${name}; there are ${targets.map((each) => each.name).join(", ")}`);
  }
  return target;
}

export function ownTarget(): Target {
  const systems: Record<string, string> = { win32: "windows" };
  const processors: Record<string, string> = { x64: "amd64" };
  return targetNamed(`${systems[process.platform] ?? process.platform}-${processors[process.arch] ?? process.arch}`);
}

export function executableName(name: string, { os }: Target): string {
  return os === "windows" ? `${name}.exe` : name;
}
