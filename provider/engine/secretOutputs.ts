import type { RawValues } from "../definitions/values";

/** `secrets` has the names of the values that the program gives as secret. */
export interface SecretMarkedValues {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

/** Returns the outputs that are always secret, the secret inputs, and each output with the value of a secret input. */
export function secretOutputs(
  outputs: RawValues,
  always: readonly string[],
  ...givens: readonly SecretMarkedValues[]
): ReadonlySet<string> {
  const given = givens.flatMap(({ values, secrets }) => [...secrets].map((name) => [name, values[name]] as const));
  const hidden = new Set(given.map(([, value]) => value).filter((value) => typeof value === "string" && value !== ""));
  const alike = Object.keys(outputs).filter((name) => hidden.has(outputs[name]));
  return new Set([...always, ...given.map(([name]) => name), ...alike]);
}
