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
  cutOff: readonly InterruptedCreate[];
  /** The names of resources that may have an entry in the journal, by their addresses there. */
  names: ReadonlyMap<string, string>;
  /** The setting `journal` of the last run, as the state has it; undefined if an environment variable set it instead. */
  journal: string | undefined;
}

export interface InterruptedCreate {
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

/** Reads the state of a stack. @throws UnreadableError if the state cannot be read. */
export type StateReader = (options: StateOptions) => Promise<StackSnapshot>;

export class UnreadableError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
