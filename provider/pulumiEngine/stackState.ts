import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { RawValues } from "../definitions/values";
import type { JobPresenceInState } from "../engine/session";
import { largestState } from "../status/readStateFromCommand";
import { mapValues } from "../support/objects";
import { parseJsonObject } from "../support/parseJsonObject";
import { readOsProcessInfo } from "../support/processes";
import { runExternalProgram } from "../support/runExternalProgram";
import { timeLimits } from "../support/time/timeLimits";
import { specialSecretSig, specialSigKey } from "./engineValues";

type Deployment = ExportedStackState["deployment"];

/** Before each create, the engine writes this many notes (pending operations). More notes are from earlier runs. */
const ownNotes = 1;
/** The state of this run's stack, read with `pulumi stack export`. */
export class StackStateReader {
  #firstExport: Promise<Deployment> | undefined;
  #lastExport: Promise<Deployment> = Promise.resolve(undefined);
  #nextExport: Promise<Deployment> | undefined;

  /**
   * Returns whether the stack's state has a resource with this id. The engine notes each create as pending in the
   * state, and removes the note after the create. If there is a note of an earlier create, the earlier create was
   * interrupted: the result is then "unsaved".
   * @returns undefined if the state cannot be read.
   */
  async saved(urn: string, id: string): Promise<JobPresenceInState | undefined> {
    const deployment = await duringCreate(urn, this.#exportStack(urn));
    if (deployment === undefined) {
      return undefined;
    }
    const { resources = [], pending_operations: pending = [] } = deployment;
    if (resources.some((resource) => resource.urn === urn && resource.id === id)) {
      return "saved";
    }
    return createsOf(urn, pending) > ownNotes || savesLate() ? "unsaved" : "gone";
  }

  /** Returns the outputs of the replaced resource, with secrets in clear text; undefined if they cannot be read. */
  async replaced(urn: string): Promise<RawValues | undefined> {
    const deployment = await duringCreate(urn, runExport(urn, ["--show-secrets"]));
    const { resources = [] } = deployment ?? {};
    const found = resources.find((resource) => resource.urn === urn && resource.delete !== true);
    return deployment && inClear(found?.outputs ?? {});
  }

  /**
   * Returns true if an earlier run was interrupted while it created this resource. The first `stack export` of this run
   * then shows a note of the interrupted create. The next `stack export` also shows a note of the current create.
   */
  async createWasCutOff(urn: string): Promise<boolean> {
    this.#firstExport ??= this.#exportStack(urn);
    const { pending_operations: atFirst = [] } = (await this.#firstExport) ?? {};
    if (createsOf(urn, atFirst) === 0) {
      return false;
    }
    const { pending_operations: pending = [] } = (await this.#exportStack(urn)) ?? {};
    return createsOf(urn, pending) > ownNotes;
  }

  /**
   * Runs `stack export`. The result is never older than the call. Only one command runs at a time, because it costs a
   * third of a second of CPU time. All callers that come during a command share the next command.
   */
  #exportStack(urn: string): Promise<Deployment> {
    this.#nextExport ??= this.#lastExport.then(() => {
      this.#nextExport = undefined;
      this.#lastExport = runExport(urn);
      return this.#lastExport;
    });
    return this.#nextExport;
  }
}

function inClear(outputs: RawValues): RawValues {
  return mapValues(outputs, (_, value) => {
    const { [specialSigKey]: mark, plaintext } = (value ?? {}) as RawValues;
    return mark === specialSecretSig ? JSON.parse(String(plaintext)) : value;
  });
}

/** @returns undefined if the state has no note about this create, because it is then the state of another stack. */
async function duringCreate(urn: string, exporting: Promise<Deployment>): Promise<Deployment> {
  const deployment = await exporting;
  return createsOf(urn, deployment?.pending_operations ?? []) >= ownNotes || savesLate() ? deployment : undefined;
}

function createsOf(urn: string, pending: readonly PendingOperation[]): number {
  return pending.filter(({ type, resource }) => type === "creating" && resource.urn === urn).length;
}

/** @returns undefined if the command fails, or if it exports a stack other than the resource's. */
async function runExport(urn: string, flags: readonly string[] = []): Promise<Deployment> {
  const { executable, cwd, stack } = engineProcess();
  const chosen = stack === undefined ? [] : ["--stack", stack];
  const command = [executable, "stack", "export", "--non-interactive", ...flags, ...chosen];
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd };
  const { stdout, problem } = await runExternalProgram(command, options);
  const exported: ExportedStackState | undefined = problem === undefined ? parseJsonObject(stdout) : undefined;
  const deployment = exported && (exported.deployment ?? {});
  const isOwn = ({ urn: other }: { urn: string }) => stackAndProject(other) === stackAndProject(urn);
  return deployment?.resources?.every(isOwn) === false ? undefined : deployment;
}

function stackAndProject(urn: string): string {
  return urn.split("::").slice(0, 2).join("::");
}

/**
 * Finds the `pulumi` process that runs this provider. `stack export` must use the program, the folder and the stack of
 * this process, for three reasons. `pulumi` in PATH may be another program. A backend's address may be relative to the
 * folder. A URN does not contain the organization. Outside Linux, the result is `pulumi` in PATH.
 */
function engineProcess(): { executable: string; cwd?: string; stack?: string | undefined } {
  try {
    for (let pid = process.ppid; pid > 1; pid = readOsProcessInfo(pid)?.parent ?? 0) {
      const executable = readlinkSync(`/proc/${pid}/exe`);
      if (basename(executable) === "pulumi") {
        const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return { executable, cwd: readlinkSync(`/proc/${pid}/cwd`), stack: stackNameIn(args) };
      }
    }
  } catch {}
  return { executable: "pulumi" };
}

/** Finds the stack among the arguments of a command: `--stack dev`, `--stack=dev`, `-s dev`, `-sdev`, `-ys dev`. */
export function stackNameIn(args: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const [index, arg] of args.entries()) {
    const [flag, long, short] = /^(?:--stack(?:=(.+))?|-[defjryQ]*s=?(.+)?)$/.exec(arg) ?? [];
    found = flag === undefined ? found : (long ?? short ?? args[index + 1]);
  }
  return found;
}

/** Returns true if the engine saves the state only at the end of a run, and writes no note before a create. */
function savesLate({ PULUMI_SKIP_CHECKPOINTS: skips = "" } = process.env): boolean {
  return /^(1|true)$/i.test(skips);
}

export interface ExportedStackState {
  deployment?: {
    manifest?: { time?: string };
    /** A replaced resource that waits for its deletion has the same URN as its successor. */
    resources?: StackStateResource[];
    pending_operations?: PendingOperation[];
  };
}

export interface StackStateResource {
  urn: string;
  type: string;
  id?: string;
  delete?: boolean;
  inputs?: RawValues;
  outputs?: RawValues;
}

export interface PendingOperation {
  type: string;
  resource: Pick<StackStateResource, "urn" | "type">;
}
