import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";

export interface LockedPackage {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** The licences that allow redistribution in other programs and require only a notice. */
const allowed = new Set(["MIT", "Apache-2.0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "BlueOak-1.0.0"]);

export function installedPackages(
  packages: Readonly<Record<string, LockedPackage>>,
): { name: string; license: string | undefined }[] {
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path !== "" && !dev && !link)
    .map(([path, { license }]) => ({ name: path.replace(/^.*node_modules\//, ""), license }));
}

export function licenceProblems(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return installedPackages(packages)
    .filter(({ license }) => license === undefined || !isAllowed(license))
    .map(({ name, license }) => `${name}: ${license ?? "no licence"}`);
}

/** Returns true if one alternative (separated by `OR`) has only allowed licences (separated by `AND`). */
function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((name) => allowed.has(name)));
}

function main(): void {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8"));
  const problems = licenceProblems(packages);
  console.log(problems.length === 0 ? "licences: all are allowed" : problems.join("\n"));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (require.main === module) {
  main();
}
