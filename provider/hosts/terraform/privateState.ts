import type { PrivateStateData } from "../../engine/planThenApplyHandler";

export function decodePrivateState(bytes: Uint8Array | undefined): PrivateStateData {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (JSON.parse(Buffer.from(bytes).toString("utf8")) as PrivateStateData);
}

export function encodePrivateState(notes: PrivateStateData): Uint8Array {
  return Buffer.from(JSON.stringify(notes));
}
