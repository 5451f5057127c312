import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A backend far away may take its time; milliseconds. */
const timeLimit = 60_000;
/** No state is as large; bytes. */
const largestState = 512 * 1024 * 1024;

/**
 * Whether the stack's state has a resource with this id, as the engine's own command tells. No call of the engine does:
 * where it replaces a resource because it was told to (`--replace`, a taint), it hands out nothing of the old one.
 * @returns undefined where it cannot be asked.
 */
export async function stateHas(urn: string, id: string): Promise<boolean | undefined> {
  const [, stack] = /^urn:pulumi:([^:]+)::/.exec(urn) ?? [];
  if (stack === undefined) {
    return undefined;
  }
  try {
    const command = ["stack", "export", "--stack", stack, "--non-interactive"];
    const options = { timeout: timeLimit, maxBuffer: largestState };
    const { stdout } = await promisify(execFile)("pulumi", command, options);
    const { deployment }: Exported = JSON.parse(stdout);
    return (deployment?.resources ?? []).some((resource) => resource.urn === urn && resource.id === id);
  } catch {
    return undefined;
  }
}

/** What we use of an exported stack. */
interface Exported {
  deployment?: { resources?: { urn: string; id?: string }[] };
}
