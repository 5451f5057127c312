import type { RawValues } from "../definitions/values";
import type { ResourceName } from "../resources/index";

export interface HeldResource {
  name: string;
  type: ResourceName;
  /** Its address in the journal. */
  address: string;
  values: RawValues;
}

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

export interface StateReader {
  /** @throws UnreadableError */
  read(options: StateOptions): Promise<HeldState>;
  /** Lists the states that the backend has kept, the newest first, as far as it lets this machine read them. */
  past(options: StateOptions, current: HeldState): Promise<PastState[]>;
  /** The commands that bring the stack back to a job, where the program takes the job's id as a setting of its own. */
  goBack(jobId: string, stack: string): string;
}

export class UnreadableError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
