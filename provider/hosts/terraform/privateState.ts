import type { RawValues } from "../../definitions/values";

/** The data that Terraform keeps for this provider beside a resource's attributes, and does not show. */
export interface PrivateState {
  /** The internal properties of the state, whose names begin with `__`. */
  own?: RawValues;
  /** In a plan only: true if the resource is removed, and its successor exists already or there is none. */
  destroys?: true;
  /** In the plan of a replacement: the known inputs of the successor. */
  successor?: RawValues;
}

export function readPrivate(bytes: Uint8Array | undefined): PrivateState {
  return bytes === undefined || bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString("utf8"));
}

export function writePrivate(value: PrivateState): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Returns the properties of a state that no attribute shows. */
export function ownOf(state: RawValues): RawValues {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name.startsWith("__")));
}
