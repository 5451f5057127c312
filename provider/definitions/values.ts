/** A value that the engine does not know yet, such as an output of a resource that a preview does not create. */
export const unknown: unique symbol = Symbol("unknown");

/** Inputs or a state as a host passes them, before their types are checked. */
export type RawValues = Readonly<Record<string, unknown>>;
