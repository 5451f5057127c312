import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess } from "../processes/startProcess";
import { projectRoot } from "../projectRoot";
import { fingerprintIn } from "./openPgpKey";
import { writeBillOfMaterials } from "./sbom";

export interface ReleaseFacts {
  version: string;
  lockedVersion: string;
  changelog: string;
  readme: string;
  security: string;
  /** The tags of the checked-out commit. */
  tags: readonly string[];
  /** The files that differ from the checked-out commit, by the paths that git prints. */
  changedFiles: readonly string[];
}

export function releaseProblems(facts: ReleaseFacts): string[] {
  const { version, lockedVersion, changelog, readme, security, tags, changedFiles } = facts;
  const released = new RegExp(`^## ${version.replaceAll(".", "\\.")} - \\d{4}-\\d{2}-\\d{2}$`, "m");
  const unreleased = /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms.exec(changelog)?.[1]?.trim();
  return [
    /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version) ? "" : `version: ${version} is no semantic version`,
    lockedVersion === version ? "" : `version: package-lock.json has ${lockedVersion}: run \`npm install\``,
    released.test(changelog) ? "" : `changelog: there is no section "## ${version} - <date>"`,
    unreleased ? `changelog: "Unreleased" still holds entries: move them to ${version}` : "",
    readme.includes("Not published yet")
      ? "readme: delete the line that nothing is published, which the package shows"
      : "",
    fingerprintIn(security)
      ? ""
      : 'signing: SECURITY.md has no line "Fingerprint: `<40 hexadecimal digits>`" of the key',
    tags.includes(`v${version}`) ? "" : `tag: the commit has no tag v${version}`,
    changedFiles.length === 0 ? "" : `tag: these files are not committed: ${changedFiles.join(", ")}`,
  ].filter((problem) => problem !== "");
}

const audit = ["audit", "--omit", "dev"];

/** Returns the vulnerabilities of the package's dependencies, or a note that the registry did not answer. */
export async function auditProblems(env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const { stdout } = await startProcess("npm", [...audit, "--json"], { cwd: projectRoot, env }).ended;
  return readAudit(stdout);
}

/** @param report the output of `npm audit --json`. */
export function readAudit(report: string): string[] {
  const found: Record<string, { severity: string }> | undefined = JSON.parse(report || "{}").vulnerabilities;
  const again = `run \`npm ${audit.join(" ")}\``;
  return found === undefined
    ? [`audit: the registry has answered nothing on vulnerabilities: ${again} where it does`]
    : Object.entries(found).map(([name, { severity }]) => `audit: ${name} has a vulnerability (${severity}): ${again}`);
}

function lines(...command: string[]): string[] {
  const text = execFileSync("git", command, { cwd: projectRoot, encoding: "utf8" });
  return text.split("\n").filter((line) => line !== "");
}

/** Returns every reason against publishing the working copy. It also writes the bill of materials. */
export async function workingCopyProblems(): Promise<string[]> {
  const read = (name: string) => readFileSync(join(projectRoot, name), "utf8");
  writeBillOfMaterials();
  const problems = releaseProblems({
    version: JSON.parse(read("package.json")).version,
    lockedVersion: JSON.parse(read("package-lock.json")).version,
    changelog: read("CHANGELOG.md"),
    readme: read("README.md"),
    security: read("SECURITY.md"),
    tags: lines("tag", "--points-at", "HEAD"),
    changedFiles: lines("status", "--porcelain").map((line) => line.slice(3)),
  });
  return [...problems, ...(await auditProblems())];
}
