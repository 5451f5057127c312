import type { RawValues } from "../../definitions/values";
import { parseExact } from "./exactNumber";

/** The data that Terraform keeps for this provider beside a resource's attributes, and does not show. */
export interface PrivateState {
  /** The internal properties of the state, whose names begin with `__`. */
  own?: RawValues;
  /** True if the create has failed, so that Terraform has tainted the object. A user's taint leaves no mark. */
  failed?: true;
  /** In a plan only: true if the resource is removed, and its successor exists already or there is none. */
  destroys?: true;
  /** In the plan of a create or a replacement: the inputs of the new resource that are known. */
  successor?: RawValues;
  /** In the same plan: the names of the inputs that are not known yet, or not wholly. */
  later?: readonly string[];
  /**
   * In the same plan: what was read of objects that the new resource may replace, by their ids. Terraform passes nothing
   * else of a tainted object.
   */
  replaceable?: Readonly<Record<string, ObjectPrivate>>;
}

/** The part of the data that belongs to one object. */
export type ObjectPrivate = Pick<PrivateState, "own" | "failed">;

export function readPrivate(bytes: Uint8Array | undefined): PrivateState {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (parseExact(Buffer.from(bytes).toString("utf8")) as PrivateState);
}

export function writePrivate(value: PrivateState): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Returns the properties of a state that no attribute shows. */
export function ownOf(state: RawValues): RawValues {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name.startsWith("__")));
}
