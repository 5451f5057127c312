import { deserialize, serialize } from "node:v8";

/** A part of a story, and the names of the fields that outlive a run; all fields if it names none. */
type Part = object & { readonly lasting?: readonly string[] };

function fieldsOf(part: Part): readonly string[] {
  return part.lasting ?? Object.keys(part);
}

/** Copies all that outlives a run. What two parts share they share in the copy, too. */
export function copyOf(parts: readonly Part[]): Buffer {
  return serialize(parts.map((part) => fieldsOf(part).map((name) => Reflect.get(part, name))));
}

export function putBack(parts: readonly Part[], copy: Buffer): void {
  const values: unknown[][] = deserialize(copy);
  for (const [index, part] of parts.entries()) {
    for (const [at, name] of fieldsOf(part).entries()) {
      Reflect.set(part, name, values[index]?.[at]);
    }
  }
}
