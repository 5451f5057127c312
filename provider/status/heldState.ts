import type { RawValues } from "../definitions/values";
import type { ResourceName } from "../resources/index";

/** A resource in the state of an engine. */
export interface HeldResource {
  /** The name of the resource, as the program's author knows it. */
  name: string;
  type: ResourceName;
  /** Its address in the journal. */
  address: string;
  /** The properties of its state. They may hold secrets. */
  values: RawValues;
}

/** The knowledge that an engine has of one stack, or of one workspace of Terraform. */
export interface HeldState {
  /** The name of the stack; of Terraform's folder and workspace. */
  stack: string;
  resources: readonly HeldResource[];
  /** The creates that the engine began, and did not see end. */
  cutOff: readonly { name: string; address: string; since: string | undefined }[];
  /** The names, by their addresses in the journal, of what may have an entry there. */
  names: ReadonlyMap<string, string>;
  /** The place of the journal that the last run was given otherwise than by the environment. */
  journal: string | undefined;
}

export interface StateOptions {
  folder: string;
  /** The stack, or Terraform's workspace. Default: the one that is selected. */
  stack: string | undefined;
}

/** A state that was left behind, and until when it was the current one. Times are ISO 8601 in UTC. */
export interface PastState {
  resources: readonly HeldResource[];
  at: string;
}

/** The states of an engine, read by its own commands and from its own files. */
export interface StateReader {
  /** @throws UnreadableError */
  read(options: StateOptions): Promise<HeldState>;
  /** Lists the states that the backend has kept, the newest first, as far as it lets this machine read them. */
  past(options: StateOptions, current: HeldState): Promise<PastState[]>;
  /** The commands that bring the stack back to a job, where the program takes the job's id as a setting of its own. */
  goBack(jobId: string, stack: string): string;
}

/** The state or the journal cannot be read. */
export class UnreadableError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
