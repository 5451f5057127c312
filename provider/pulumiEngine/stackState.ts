import { execFile } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { Standing } from "../engine/session";

/** The engine has noted the create that asks, too. */
const ownNotes = 1;
/** A backend far away may take its time; milliseconds. */
const timeLimit = 60_000;
/** No state is as large; bytes. */
const largestState = 512 * 1024 * 1024;

/**
 * How the stack's state stands to an id, as the engine's own command tells. No call of the engine does: where it replaces a
 * resource because it was told to (`--replace`, a taint), it hands out nothing of the old one, and one that is retained, or
 * goes with another, leaves the state without a call. Before a create the engine notes in the state that it is pending, and
 * leaves that note where the run is cut off.
 */
export async function standingInStack(urn: string, id: string): Promise<Standing> {
  const [, stack] = /^urn:pulumi:([^:]+)::/.exec(urn) ?? [];
  if (stack === undefined) {
    return "unsaved";
  }
  try {
    const command = ["stack", "export", "--stack", stack, "--non-interactive"];
    const { executable, cwd } = engineProcess() ?? { executable: "pulumi", cwd: undefined };
    const options = { timeout: timeLimit, maxBuffer: largestState, cwd };
    const { stdout } = await promisify(execFile)(executable, command, options);
    const { deployment }: Exported = JSON.parse(stdout);
    const { resources = [], pending_operations: pending = [] } = deployment ?? {};
    if (resources.some((resource) => resource.urn === urn && resource.id === id)) {
      return "saved";
    }
    const creating = pending.filter(({ type, resource }) => type === "creating" && resource.urn === urn);
    return creating.length > ownNotes || savesLate() ? "unsaved" : "gone";
  } catch {
    return "unsaved";
  }
}

/**
 * The engine that this process works for, and its folder, where the system shows them (Linux). The command on PATH may be another
 * one, or none, and the address of a backend may be relative to that folder.
 */
function engineProcess(): { executable: string; cwd: string } | undefined {
  try {
    for (let pid = process.ppid; pid > 1; pid = parentOf(pid)) {
      const executable = readlinkSync(`/proc/${pid}/exe`);
      if (basename(executable) === "pulumi") {
        return { executable, cwd: readlinkSync(`/proc/${pid}/cwd`) };
      }
    }
  } catch {}
  return undefined;
}

function parentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The parent is the second field after the name of the command, which stands in brackets.
  return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Whether the engine writes its state at the end of a run only: then it notes nothing before a create either. */
function savesLate({ PULUMI_SKIP_CHECKPOINTS: skips = "" } = process.env): boolean {
  return /^(1|true)$/i.test(skips);
}

/** What we use of an exported stack. */
interface Exported {
  deployment?: {
    resources?: { urn: string; id?: string }[];
    pending_operations?: { type: string; resource: { urn: string } }[];
  };
}
