import type { Lifecycle } from "../../resources/lifecycle";

/** What this host knows of a resource besides its lifecycle: what its id is made of, and what an import can tell. */
export interface Traits<Inputs extends object, State extends object> {
  lifecycle: Lifecycle<Inputs, State>;
  /** The names of the inputs. */
  inputs: readonly string[];
  /** The outputs that are secret whatever the inputs are. */
  secrets?: readonly (keyof State & string)[];
  /** The inputs that the id is made of, which is never secret. */
  identity: readonly (keyof Inputs & string)[];
  /** What the platform does not tell of an imported resource: taken from the program in the first run after it. */
  labels?: readonly (keyof Inputs & string)[];
  /** The inputs that a look by the id alone brings to light. */
  importedInputs?: readonly (keyof Inputs & string)[];
  /** Why a look by the id alone is refused, and what to do. */
  notImported?: string;
}
