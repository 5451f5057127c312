/** A value that the engine does not know yet: an output of something that a preview does not create. */
export const unknown: unique symbol = Symbol("unknown");

/** Inputs or a state as a host hands them over, before anything is known of their types. */
export type RawValues = Readonly<Record<string, unknown>>;
