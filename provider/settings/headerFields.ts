/** The names and values of header fields, in the given order. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** The header fields that each request sets itself. */
const own = ["authorization", "host", "accept", "user-agent", "idempotency-key", "range"];

/**
 * The header fields that belong to the connection and not to a request (RFC 9110, 7.6.1), or that change how a request
 * is made.
 */
const ofConnection = [
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-connection"],
];

/**
 * Reads header fields from a JSON object of texts. A problem does not show any value, since a value may be a secret.
 */
export function parseHeaderFields(text: string): HeaderFields | { problem: string } {
  const fields = objectOf(text);
  if (fields === undefined) {
    return { problem: 'must be a JSON object with string values, such as {"X-Gateway-Token": "…"}' };
  }
  const seen = new Set<string>();
  for (const [name, value] of fields) {
    const problem = problemOf(name, value, seen);
    if (problem !== undefined) {
      return { problem };
    }
    seen.add(name.toLowerCase());
  }
  return fields as [string, string][];
}

function objectOf(text: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

function problemOf(name: string, value: unknown, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return "has an invalid header name";
  }
  if (own.includes(lower) || lower.startsWith("content-")) {
    return `must not contain ${name}, which this provider sets itself`;
  }
  if (ofConnection.includes(lower)) {
    return `must not contain ${name}, which belongs to the connection`;
  }
  if (seen.has(lower)) {
    return `contains ${name} twice`;
  }
  return typeof value === "string" && /^[\t\x20-\x7e]*$/.test(value)
    ? undefined
    : `must have a string of ASCII characters without line breaks for ${name}`;
}
