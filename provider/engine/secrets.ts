import type { RawValues } from "../definitions/values";

/** Plain values, with the names of those that are or hold a secret. */
export interface Properties {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

/**
 * Which outputs are secret: those of the resource that always are; those whose input is; and those that hold the same
 * value as a secret input, whatever their name.
 */
export function secretOutputs(
  outputs: RawValues,
  always: readonly string[],
  ...givens: readonly Properties[]
): ReadonlySet<string> {
  const names = new Set(always);
  for (const { values, secrets } of givens) {
    for (const name of secrets) {
      names.add(name);
      for (const [output, value] of Object.entries(outputs)) {
        if (typeof value === "string" && value !== "" && value === values[name]) {
          names.add(output);
        }
      }
    }
  }
  return names;
}
