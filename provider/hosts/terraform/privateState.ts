import type { PlanNotes } from "../../engine/notedCalls";

export function readPrivate(bytes: Uint8Array | undefined): PlanNotes {
  return bytes === undefined || bytes.length === 0
    ? {}
    : (JSON.parse(Buffer.from(bytes).toString("utf8")) as PlanNotes);
}

export function writePrivate(notes: PlanNotes): Uint8Array {
  return Buffer.from(JSON.stringify(notes));
}
