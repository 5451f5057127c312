import type { RawValues } from "../definitions/values";
import type { ResourceTypeName } from "../resources/index";

export interface ResourceSnapshot {
  name: string;
  type: ResourceTypeName;
  /** The resource's address in the journal. It is undefined if several resources share one address. */
  address?: string;
  values: RawValues;
}

export interface StackSnapshot {
  /** The stack's name. For Terraform: the folder's name, then the workspace's. */
  stack: string;
  resources: readonly ResourceSnapshot[];
  /** The creates that the engine began and did not finish, if no later run has created the resource. */
  cutOff: readonly InterruptedCreate[];
  /** The names of the resources that may have a journal entry, by their addresses in the journal. */
  names: ReadonlyMap<string, string>;
  /** The last run's setting `journal`, if the state contains this setting. */
  journal: string | undefined;
}

export interface InterruptedCreate {
  name: string;
  address: string;
  since: string | undefined;
  /** The next steps of the user, if the journal has no entry for this create. */
  next: string;
}

export interface StateReaderOptions {
  folder: string;
  /** The name of the stack or of Terraform's workspace. Default: the selected stack or workspace. */
  stack: string | undefined;
}

/** @throws UnreadableStateError if the state cannot be read. */
export type StateReader = (options: StateReaderOptions) => Promise<StackSnapshot>;

export class UnreadableStateError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
