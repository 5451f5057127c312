/** The names under which some platforms put the fields into an object of their own. */
const envelopes = ["data", "result"] as const;

/**
 * Parses JSON. A whole number that has no exact value here becomes the text of its digits: it is an id, or a time in
 * nanoseconds.
 * @throws SyntaxError
 */
export function parseBody(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

/** As a reviver: Node.js tells it what a number was written as. */
function exact(_: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

/** The objects in which the fields of an answer may be, in order of precedence. The API text shows none around them. */
export function fieldsIn(body: unknown): unknown[] {
  const inner = envelopes.map((name) => (body as Partial<Record<string, unknown>> | null)?.[name]);
  return [...inner.filter((value) => typeof value === "object" && value !== null), body];
}
