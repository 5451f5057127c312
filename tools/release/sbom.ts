import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import type { LockedPackage } from "./licences";

const readJson = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), "utf8"));

/** Makes the bill of materials (CycloneDX). `npm sbom --omit dev` would omit too many packages. */
export function billOfMaterials() {
  const folder = mkdtempSync(join(tmpdir(), "sbom-"));
  try {
    const { name, version, license, dependencies } = readJson("package.json");
    const manifest = { name, version, license, dependencies };
    const lock = readJson("package-lock.json");
    const kept = Object.entries<LockedPackage>(lock.packages).filter(([path, { dev, link }]) => path && !dev && !link);
    const packages = { "": manifest, ...Object.fromEntries(kept) };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
    const command = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
    const bill = JSON.parse(
      execFileSync("npm", command, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }),
    );
    // The name is set, because npm uses the name of the temporary folder as the package's name.
    bill.metadata.component.name = name;
    return bill;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function writeBillOfMaterials(): void {
  const bill = billOfMaterials();
  mkdirSync(join(projectRoot, "dist"), { recursive: true });
  writeFileSync(join(projectRoot, "dist", "sbom.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

if (require.main === module) {
  writeBillOfMaterials();
  console.log("written to dist/sbom.json");
}
