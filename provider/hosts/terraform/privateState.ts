import type { HiddenStateData } from "../../engine/bindingPlanCalls";

export function readPrivate(bytes: Uint8Array | undefined): HiddenStateData {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (JSON.parse(Buffer.from(bytes).toString("utf8")) as HiddenStateData);
}

export function writePrivate(notes: HiddenStateData): Uint8Array {
  return Buffer.from(JSON.stringify(notes));
}
