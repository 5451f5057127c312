import type { RawValues } from "../definitions/values";

export interface Properties {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

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
