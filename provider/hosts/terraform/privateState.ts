import type { RawValues } from "../../definitions/values";
import { picked } from "../../support/objects";

/** The data that Terraform saves for this provider beside a resource's attributes, and does not show to the user. */
export interface PrivateState {
  own?: RawValues;
  /** Only in a plan: true if the resource is removed from the program, or if its successor exists already. */
  destroys?: true;
  /** Only in the plan of a create or a replacement: the known inputs of the new resource. */
  successor?: RawValues;
  /**
   * Only in the plan of a create or a replacement: the internal properties of each resource that the new one may
   * replace, by that resource's id. When Terraform deletes a tainted object, it passes only this plan's private data.
   */
  replaceable?: Readonly<Record<string, RawValues>>;
}

export function readPrivate(bytes: Uint8Array | undefined): PrivateState {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (JSON.parse(Buffer.from(bytes).toString("utf8")) as PrivateState);
}

export function writePrivate(value: PrivateState): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

export function internalProperties(state: RawValues): RawValues {
  return picked(state, (name) => name.startsWith("__"));
}
