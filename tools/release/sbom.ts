import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import type { LockedPackage } from "./licences";

const readJson = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), "utf8"));

/**
 * Makes the bill of materials (CycloneDX) of the packages that are installed with this one, by npm from the lockfile.
 * Development packages are removed before, because `npm sbom --omit dev` removes more than those.
 */
export function billOfMaterials() {
  const folder = mkdtempSync(join(tmpdir(), "sbom-"));
  try {
    const {
      devDependencies: _,
      scripts: __,
      overrides: ___,
      peerDependencies: ____,
      ...manifest
    } = readJson("package.json");
    const lock = readJson("package-lock.json");
    const kept = Object.entries<LockedPackage>(lock.packages).filter(([path, { dev, link }]) => path && !dev && !link);
    const packages = { "": manifest, ...Object.fromEntries(kept) };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    const flags = ["--package-lock-only", "--sbom-format", "cyclonedx"];
    const text = execFileSync("npm", ["sbom", ...flags], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const bill = JSON.parse(text);
    // npm uses the folder's name as the name of the package.
    bill.metadata.component.name = manifest.name;
    return bill;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes it to dist/sbom.json; returns the names of the packages in it. */
export function writeBillOfMaterials(): string[] {
  const file = join(projectRoot, "dist", "sbom.json");
  mkdirSync(join(file, ".."), { recursive: true });
  const bill = billOfMaterials();
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  return bill.components.map(({ name }: { name: string }) => name);
}

if (require.main === module) {
  console.log(`${writeBillOfMaterials().length} components in dist/sbom.json`);
}
