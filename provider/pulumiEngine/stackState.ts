import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { RawValues } from "../definitions/values";
import type { SavedInState } from "../engine/session";
import { jsonObject } from "../support/jsonObject";
import { systemRecord } from "../support/processes";
import { runProgram } from "../support/runProgram";
import { timeLimits } from "../support/time/timeLimits";

type Deployment = Exported["deployment"];

/** The exports of the stack of this run: a process serves one. */
let firstExport: Promise<Deployment> | undefined;
let lastExport: Promise<Deployment> = Promise.resolve(undefined);
let nextExport: Promise<Deployment> | undefined;

/** The number of pending notes that belong to the create which asks. */
const ownNotes = 1;
export const largestState = 512 * 1024 * 1024;

/**
 * Asks the stack's state about an id: no call of the engine tells this after a demanded replacement, or of a resource that
 * has left the state. Before a create, the engine notes that it is pending, and the note stays if the run is cut off.
 */
export async function savedInStack(urn: string, id: string): Promise<SavedInState> {
  const deployment = await exportStack(urn);
  if (deployment === undefined) {
    return "unsaved";
  }
  const { resources = [], pending_operations: pending = [] } = deployment;
  if (resources.some((resource) => resource.urn === urn && resource.id === id)) {
    return "saved";
  }
  return createsOf(urn, pending) > ownNotes || savesLate() ? "unsaved" : "gone";
}

/**
 * Returns the state of a resource that the engine replaces at this moment. The engine notes in the state that a create is
 * pending: without that note somebody else has asked for it.
 * @returns undefined if there is no such resource or note, or the engine cannot be asked.
 */
export async function stateInStack(urn: string): Promise<RawValues | undefined> {
  const { resources = [], pending_operations: pending = [] } = (await exportStack(urn)) ?? {};
  return createsOf(urn, pending) > 0
    ? resources.find((resource) => resource.urn === urn && resource.delete !== true)?.outputs
    : undefined;
}

/**
 * Returns true if an earlier run was cut off in a create of this resource. The notes of earlier runs are there from the
 * beginning of this one: a resource without a note at the first question has none, and costs no question of its own.
 */
export async function createWasCutOff(urn: string): Promise<boolean> {
  firstExport ??= exportStack(urn);
  const { pending_operations: atFirst = [] } = (await firstExport) ?? {};
  if (createsOf(urn, atFirst) === 0) {
    return false;
  }
  const { pending_operations: pending = [] } = (await exportStack(urn)) ?? {};
  return createsOf(urn, pending) > ownNotes;
}

function createsOf(urn: string, pending: readonly PendingOperation[]): number {
  return pending.filter(({ type, resource }) => type === "creating" && resource.urn === urn).length;
}

/**
 * Exports the stack as it is at this moment or later. The program that does it takes a third of a second of CPU: one runs at
 * a time, and all that ask meanwhile share the next one.
 */
function exportStack(urn: string): Promise<Deployment> {
  nextExport ??= lastExport.then(() => {
    nextExport = undefined;
    lastExport = runExport(urn);
    return lastExport;
  });
  return nextExport;
}

async function runExport(urn: string): Promise<Deployment> {
  const [, stack] = /^urn:pulumi:([^:]+)::/.exec(urn) ?? [];
  if (stack === undefined) {
    return undefined;
  }
  const { executable, cwd } = engineProcess() ?? { executable: "pulumi", cwd: undefined };
  const command = [executable, "stack", "export", "--stack", stack, "--non-interactive"];
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd };
  const { stdout, problem } = await runProgram(command, options);
  const exported: Exported | undefined = problem === undefined ? jsonObject(stdout) : undefined;
  return exported && (exported.deployment ?? {});
}

/** PATH may lead to another command, and the address of a backend may be relative to the engine's folder. Linux shows both. */
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

export interface Exported {
  deployment?: {
    manifest?: { time?: string };
    /** A resource that was replaced, and is to be deleted, has the same URN. */
    resources?: ExportedResource[];
    pending_operations?: PendingOperation[];
  };
}

export interface ExportedResource {
  urn: string;
  type: string;
  id?: string;
  delete?: boolean;
  /** The errors of its last create or update, which the engine keeps until the next one. */
  initErrors?: string[];
  inputs?: RawValues;
  outputs?: RawValues;
}

export interface PendingOperation {
  type: string;
  resource: Pick<ExportedResource, "urn" | "type">;
}
