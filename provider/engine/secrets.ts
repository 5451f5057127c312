import type { RawValues } from "../definitions/values";

/** Plain values, and the names of the values that are secret or contain a secret. */
export interface Properties {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

/** The outputs that are always secret, whose input is secret, or that repeat the value of a secret input. */
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
