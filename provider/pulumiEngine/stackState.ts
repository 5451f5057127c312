import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { RawValues } from "../definitions/values";
import type { Standing } from "../engine/session";
import { systemRecord } from "../support/processes";
import { timeLimits } from "../support/time/timeLimits";

/** The number of pending notes that belong to the create which asks. */
const ownNotes = 1;
/** The size limit of the command's output in bytes: no state is that large. */
const largestState = 512 * 1024 * 1024;

/**
 * Returns what the stack's state says about an id, by the command of the engine. No call of the engine tells this. If
 * the user demands a replacement (`--replace`, a taint), the engine passes nothing about the old resource. A resource
 * that is retained, or deleted with another one, leaves the state without a call. Before a create, the engine notes in
 * the state that the create is pending, and the note stays if the run is cut off.
 */
export async function standingInStack(urn: string, id: string): Promise<Standing> {
  const deployment = await exportStack(urn);
  if (deployment === undefined) {
    return "unsaved";
  }
  const { resources = [], pending_operations: pending = [] } = deployment;
  if (resources.some((resource) => resource.urn === urn && resource.id === id)) {
    return "saved";
  }
  const creating = pending.filter(({ type, resource }) => type === "creating" && resource.urn === urn);
  return creating.length > ownNotes || savesLate() ? "unsaved" : "gone";
}

/** Returns the state that the stack has of a resource at this moment; undefined if it has none, or cannot be asked. */
export async function stateInStack(urn: string): Promise<RawValues | undefined> {
  const { resources = [] } = (await exportStack(urn)) ?? {};
  return resources.find((resource) => resource.urn === urn && resource.delete !== true)?.outputs;
}

async function exportStack(urn: string): Promise<Exported["deployment"]> {
  const [, stack] = /^urn:pulumi:([^:]+)::/.exec(urn) ?? [];
  if (stack === undefined) {
    return undefined;
  }
  try {
    const command = ["stack", "export", "--stack", stack, "--non-interactive"];
    const { executable, cwd } = engineProcess() ?? { executable: "pulumi", cwd: undefined };
    const options = { timeout: timeLimits.stackExport, maxBuffer: largestState, cwd };
    const { stdout } = await promisify(execFile)(executable, command, options);
    const { deployment = {} }: Exported = JSON.parse(stdout);
    return deployment;
  } catch {
    return undefined;
  }
}

/**
 * Returns the executable and the folder of the engine that this process works for, if the system shows them (Linux). PATH
 * may lead to another command or to none, and the address of a backend may be relative to that folder.
 */
function engineProcess(): { executable: string; cwd: string } | undefined {
  try {
    for (let pid = process.ppid; pid > 1; pid = systemRecord(pid)?.parent ?? 0) {
      const executable = readlinkSync(`/proc/${pid}/exe`);
      if (basename(executable) === "pulumi") {
        return { executable, cwd: readlinkSync(`/proc/${pid}/cwd`) };
      }
    }
  } catch {}
  return undefined;
}

/** Returns true if the engine writes its state only at the end of a run: then it also notes nothing before a create. */
function savesLate({ PULUMI_SKIP_CHECKPOINTS: skips = "" } = process.env): boolean {
  return /^(1|true)$/i.test(skips);
}

/** The parts of an exported stack that are used here. */
interface Exported {
  deployment?: {
    /** A resource that was replaced, and is to be deleted, has the same URN. */
    resources?: { urn: string; id?: string; delete?: boolean; outputs?: RawValues }[];
    pending_operations?: { type: string; resource: { urn: string } }[];
  };
}
