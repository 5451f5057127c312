import type { RawValues } from "../../definitions/values";

/** The data that Terraform keeps for this provider beside a resource's attributes, and does not show. */
export interface PrivateState {
  own?: RawValues;
  /**
   * Only in a plan: true if the resource is removed, and either its successor exists already or it has no successor.
   */
  destroys?: true;
  /** In the plan of a create or a replacement: the known inputs of the new resource. */
  successor?: RawValues;
  /**
   * In the same plan: the internal properties of the resource that the new one may replace. The deletion of a tainted
   * object receives nothing else.
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

export function ownOf(state: RawValues): RawValues {
  return Object.fromEntries(Object.entries(state).filter(([name]) => name.startsWith("__")));
}
