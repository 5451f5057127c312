/** A command line that cannot be understood; the message says which flag and what it takes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
