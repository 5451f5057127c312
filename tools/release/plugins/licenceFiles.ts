import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { licenceProblems } from "../licences";
import type { ReleaseFile } from "./releaseArchives";

/** Throws for a licence that forbids redistribution. `others`: licences of parts that are no npm packages. */
export function licenceFiles(folders: readonly string[], others: readonly string[] = []): ReleaseFile[] {
  const packages = folders.map((folder) => ({ folder, ...readManifest(folder) }));
  const problems = licenceProblems(Object.fromEntries(packages.map(({ folder, license }) => [folder, { license }])));
  if (problems.length > 0) {
    throw new Error(`these packages cannot be handed on: ${problems.join(", ")}`);
  }
  const texts = packages.map(({ folder, name, version, license }) => {
    return `${name} ${version} (${license})\n\n${licenceText(folder)}`;
  });
  return [
    { name: "LICENSE", content: readFileSync(join(projectRoot, "LICENSE"), "utf8") },
    { name: "THIRD-PARTY-LICENSES.txt", content: [...texts, ...others].join(`\n${"-".repeat(80)}\n\n`) },
  ];
}

function readManifest(folder: string): { name: string; version: string; license: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function licenceText(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  return `${files.map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n\n")}\n`;
}
