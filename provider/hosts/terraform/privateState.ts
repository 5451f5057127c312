import type { Notes } from "../../engine/notedCalls";

export function readPrivate(bytes: Uint8Array | undefined): Notes {
  return bytes === undefined || bytes.length === 0 ? {} : (JSON.parse(Buffer.from(bytes).toString("utf8")) as Notes);
}

export function writePrivate(notes: Notes): Uint8Array {
  return Buffer.from(JSON.stringify(notes));
}
