/** The names of the objects into which some platforms put the fields of an answer. */
const envelopes = ["data", "result"] as const;

/**
 * Parses JSON. A whole number that JavaScript cannot hold exactly becomes the text of its digits: it is an id, or a
 * time in nanoseconds.
 * @throws SyntaxError
 */
export function parseBody(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

/** A reviver for `JSON.parse`. Node.js passes the original text of each number to it. */
function exact(_: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

/**
 * Returns the objects that may contain the fields of an answer, in order of precedence. The API text shows no object
 * around the fields.
 */
export function fieldsIn(body: unknown): unknown[] {
  const inner = envelopes.map((name) => (body as Partial<Record<string, unknown>> | null)?.[name]);
  return [...inner.filter((value) => typeof value === "object" && value !== null), body];
}
