import type { RawValues } from "../definitions/values";
import type { ResourceName } from "../resources/index";

export interface ResourceSnapshot {
  name: string;
  type: ResourceName;
  /** Its address in the journal; undefined if several resources share one address. */
  address?: string;
  values: RawValues;
}

export interface StackSnapshot {
  /** The stack's name. For Terraform: the folder's name, then the workspace's. */
  stack: string;
  resources: readonly ResourceSnapshot[];
  /** The creates that the engine began and that have no recorded end, unless a later run has repaired them. */
  cutOff: readonly CutOffCreate[];
  /** The names of resources that may have an entry in the journal, by their addresses there. */
  names: ReadonlyMap<string, string>;
  /** The journal's place in the last run, if another source than the environment gave it. */
  journal: string | undefined;
}

export interface CutOffCreate {
  name: string;
  address: string;
  since: string | undefined;
  /** The steps for a person if no journal knows what this create started. */
  next: string;
}

export interface StateOptions {
  folder: string;
  /** The stack, or Terraform's workspace. Default: the one that is selected. */
  stack: string | undefined;
}

/** A run that has ended. It has only the facts that the backend keeps. */
export interface PastRun {
  /** When the run ended: ISO 8601 in UTC. */
  at: string;
  /** The resources in the state at that time. */
  resources: readonly ResourceSnapshot[];
  failed?: FailedRun;
}

export interface FailedRun {
  /** The engine's name for this kind of run, such as `update`. */
  kind: string;
  /** The message that the user gave to the run. */
  message: string;
  /** The first line of each error that the state kept. */
  errors: readonly string[];
}

/** How to bring the stack back to a job. */
export interface GoBack {
  /** The commands, one after the other. Each value in them is one word of a shell. */
  commands: readonly string[];
  /** The code without which the commands have no effect. */
  needs: string;
}

export interface StateReader {
  /** @throws UnreadableError */
  read(options: StateOptions): Promise<StackSnapshot>;
  /** Lists the runs that the backend has kept and that this machine can read, the newest first. */
  past(options: StateOptions, current: StackSnapshot): Promise<PastRun[]>;
  /**
   * @param stack the name that the person has typed; undefined for the selected stack. The state does not contain the
   * organization.
   */
  goBack(jobId: string, stack: string | undefined): GoBack;
}

export class UnreadableError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
