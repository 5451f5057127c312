/** A value that the engine does not know yet, such as an output of a resource that does not exist yet. */
export const unknown: unique symbol = Symbol("unknown");

/** Returns true if a value, or a part of the value, is not known yet. */
export function containsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(containsUnknown);
}

/** Inputs or a state as a host passes them, before their types are checked. */
export type RawValues = Readonly<Record<string, unknown>>;
