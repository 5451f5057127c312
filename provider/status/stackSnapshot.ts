import type { RawValues } from "../definitions/values";
import type { ResourceName } from "../resources/index";

export interface ResourceSnapshot {
  name: string;
  type: ResourceName;
  /** The resource's address in the journal; undefined if several resources share one address. */
  address?: string;
  values: RawValues;
}

export interface StackSnapshot {
  /** The stack's name. For Terraform: the folder's name, then the workspace's. */
  stack: string;
  resources: readonly ResourceSnapshot[];
  /**
   * The creates that the engine began, and for which the state has no end. A create that a later run has repaired is
   * left out.
   */
  cutOff: readonly CutOffCreate[];
  /** The names of resources that may have an entry in the journal, by their addresses there. */
  names: ReadonlyMap<string, string>;
  /** The setting `journal` of the last run, as the state has it; undefined if an environment variable set it instead. */
  journal: string | undefined;
}

export interface CutOffCreate {
  name: string;
  address: string;
  since: string | undefined;
  /** The steps for the user if no journal contains what this create started. */
  next: string;
}

export interface StateOptions {
  folder: string;
  /** The name of the stack or of Terraform's workspace. Default: the selected one. */
  stack: string | undefined;
}

/** A run that has ended, with the facts that the backend keeps. */
export interface PastRun {
  /** When the run ended: ISO 8601 in UTC. */
  at: string;
  /** The resources in the state at the end of that run. */
  resources: readonly ResourceSnapshot[];
  failed?: FailedRun;
}

export interface FailedRun {
  /** The engine's name for this kind of run, such as `update`. */
  kind: string;
  /** The message that the user gave for the run. */
  message: string;
  /** The first line of each error that the state kept. */
  errors: readonly string[];
}

/** How a user rolls the stack back to a job. */
export interface GoBack {
  /** The commands, in their order. Each value in a command is quoted as one word for a shell. */
  commands: readonly string[];
  /** The code that the program must have, because the commands have no effect without it. */
  needs: string;
}

export interface StateReader {
  /** @throws UnreadableError if the state cannot be read. */
  read(options: StateOptions): Promise<StackSnapshot>;
  /** Returns the runs that the backend has kept and that this machine can read. The newest run is the first. */
  past(options: StateOptions, current: StackSnapshot): Promise<PastRun[]>;
  /**
   * @param stack the stack's name as the user has typed it; undefined for the selected stack. The state does not
   * contain the organization.
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
