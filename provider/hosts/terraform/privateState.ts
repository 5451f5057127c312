import type { PrivateStateData } from "../../engine/planThenApplyCalls";

export function readPrivate(bytes: Uint8Array | undefined): PrivateStateData {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (JSON.parse(Buffer.from(bytes).toString("utf8")) as PrivateStateData);
}

export function writePrivate(notes: PrivateStateData): Uint8Array {
  return Buffer.from(JSON.stringify(notes));
}
