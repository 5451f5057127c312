import { startProcess } from "../processes/startProcess";
import { projectRoot } from "../projectRoot";

/** What `npm audit` has against what is installed with the package, or that it could not be asked. */
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

/** The vulnerabilities that a report names; undefined for what is no report. */
export function readAudit(text: string): string[] | undefined {
  const vulnerabilities = parse(text).vulnerabilities;
  return typeof vulnerabilities === "object" && vulnerabilities !== null
    ? Object.entries<{ severity?: string }>({ ...vulnerabilities }).map(
        ([name, { severity }]) => `audit: ${name} has a vulnerability (${severity}): run \`npm audit --omit dev\``,
      )
    : undefined;
}

function reasonOf(text: string): string {
  const { message } = parse(text);
  return typeof message === "string" ? message : "no report";
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
