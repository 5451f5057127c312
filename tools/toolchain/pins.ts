import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { filesIn } from "../filesIn";
import { projectRoot } from "../projectRoot";

export function pinsFolder({ pins }: { pins: string }): string {
  return resolve(projectRoot, pins);
}

/** Returns the text of every file that pins versions, by the file's name. */
export function pinFiles(folder: string): Map<string, string> {
  const files = filesIn(folder).filter((name) =>
    ["go.mod", "requirements.txt", "package.json"].includes(basename(name)),
  );
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Returns the version of a tool, without a "v". */
export function pinnedVersion(tool: { pins: string; module: string }): string {
  const folder = pinsFolder(tool);
  const module = tool.module.replaceAll(".", "\\.");
  const line = new RegExp(`^\\s*(?:(?:require\\s+)?${module}\\s+v|${module}==|"${module}": ")([^\\s"]+)`, "m");
  for (const text of pinFiles(folder).values()) {
    const version = line.exec(text)?.[1];
    if (version !== undefined) {
      return version;
    }
  }
  throw new Error(`${folder} does not pin ${tool.module}`);
}

/** @param indirect true to include the modules that only other modules need. */
export function requiredModules(goMod: string, indirect: boolean): { module: string; version: string }[] {
  const lines = goMod.matchAll(/^\s*(?:require\s+)?(\S+\.\S+\/\S+) v(\S+)(?: \/\/ (indirect))?$/gm);
  const tools = toolPackages(goMod);
  // Go marks the module of a tool as indirect, because no Go file imports the module.
  const isOfTool = (module: string) => tools.some((tool) => tool === module || tool.startsWith(`${module}/`));
  return [...lines]
    .filter(([_, module = "", __, mark]) => indirect || !mark || isOfTool(module))
    .map(([_, module = "", version = ""]) => ({ module, version }));
}

export function toolPackages(goMod: string): string[] {
  const blocks = [...goMod.matchAll(/^tool (?:\(\n([^)]*)\)|(\S+))$/gm)];
  return blocks.flatMap(([_, block = "", one]) => one ?? block.trim().split(/\s+/));
}

export function fingerprint(...contents: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const content of contents) {
    hash.update(content);
  }
  return hash.digest("hex").slice(0, 8);
}
