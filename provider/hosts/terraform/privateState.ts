import type { RawValues } from "../../definitions/values";

/** What Terraform keeps for this provider beside the attributes of a resource, and shows nobody. */
export interface PrivateState {
  /** The properties of the state that are the provider's own. */
  own?: RawValues;
  /** In a plan only: the resource goes, and nothing takes its place, or it is there before. */
  destroys?: true;
  /** In the plan of a replacement: the inputs of what takes its place, as far as they are known. */
  successor?: RawValues;
}

export function readPrivate(bytes: Uint8Array | undefined): PrivateState {
  return bytes === undefined || bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString("utf8"));
}

export function writePrivate(value: PrivateState): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** The properties of a state that no attribute shows. */
export function ownOf(state: RawValues): RawValues {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name.startsWith("__")));
}
