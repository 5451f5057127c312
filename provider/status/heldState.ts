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

/** Reads a state by the engine's own command. @throws UnreadableError */
export type StateReader = (options: StateOptions) => Promise<HeldState>;

/** The state or the journal cannot be read. */
export class UnreadableError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}
