import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { startProcess } from "../processes/startProcess";
import { projectRoot } from "../projectRoot";
import { installedPackages } from "./licences";
import type { ReleaseFacts, Tarball } from "./problems";
import { writeBillOfMaterials } from "./sbom";

const readJson = (name: string) => JSON.parse(readFileSync(join(projectRoot, name), "utf8"));

function lines(command: string, ...args: string[]): string[] {
  const text = execFileSync(command, args, { cwd: projectRoot, encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
}

/** Reads the facts about the release from the working tree. */
export async function releaseFacts(): Promise<ReleaseFacts> {
  return {
    version: readJson("package.json").version,
    lockedVersion: readJson("package-lock.json").version,
    changelog: readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8"),
    tags: lines("git", "tag", "--points-at", "HEAD"),
    changedFiles: lines("git", "status", "--porcelain").map((line) => line.slice(3)),
    tarball: tarballFacts(),
    audit: await auditProblems(),
    billed: writeBillOfMaterials(),
    installed: installedPackages(readJson("package-lock.json").packages).map(({ name }) => name),
  };
}

/** The tarball that `npm pack` would make of the built files. */
export function tarballFacts(): Tarball {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: projectRoot,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const { main, types, exports } = readJson("package.json");
  const targets = Object.values<string | Record<string, string>>(exports).flatMap((target) =>
    typeof target === "string" ? target : Object.values(target),
  );
  return {
    size: packed.size,
    files: packed.files.map(({ path }: { path: string }) => path),
    entryPoints: [main, types, ...targets].map((file) => normalize(file)),
  };
}

/** The vulnerabilities that `npm audit` reports for the package's dependencies, or that the registry gave no answer. */
export async function auditProblems(environment: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const command = ["audit", "--omit", "dev"];
  const { ended } = startProcess("npm", [...command, "--json"], { cwd: projectRoot, env: environment });
  const { stdout } = await ended;
  return (
    readAudit(stdout) ?? [
      `audit: the registry has answered nothing on vulnerabilities (${reasonOf(stdout)}): run \`npm ${command.join(" ")}\` where it does`,
    ]
  );
}

/** The vulnerabilities in a report; undefined if the text is no report. */
export function readAudit(text: string): string[] | undefined {
  const vulnerabilities = parseReport(text).vulnerabilities;
  return typeof vulnerabilities === "object" && vulnerabilities !== null
    ? Object.entries<{ severity?: string }>({ ...vulnerabilities }).map(
        ([name, { severity }]) => `audit: ${name} has a vulnerability (${severity}): run \`npm audit --omit dev\``,
      )
    : undefined;
}

function reasonOf(text: string): string {
  const { message } = parseReport(text);
  return typeof message === "string" ? message : "no report";
}

function parseReport(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
