import { jsonObject } from "../support/jsonObject";

/** The names and values of header fields, in the given order. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** The fields that each request sets itself, that belong to the connection (RFC 9110, 7.6.1), or that change a request. */
const reserved = [
  ...["authorization", "host", "accept", "user-agent", "idempotency-key", "range"],
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-connection"],
];

/** Reads a JSON object of texts. A problem shows no value, which may be a secret. */
export function parseHeaderFields(text: string): HeaderFields | { problem: string } {
  const fields = jsonObject(text);
  if (fields === undefined) {
    return { problem: 'must be a JSON object with string values, such as {"X-Gateway-Token": "…"}' };
  }
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(fields)) {
    const problem = problemOf(name, value, seen);
    if (problem !== undefined) {
      return { problem };
    }
    seen.add(name.toLowerCase());
  }
  return Object.entries(fields) as [string, string][];
}

function problemOf(name: string, value: unknown, seen: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return "has an invalid header name";
  }
  if (reserved.includes(lower) || lower.startsWith("content-")) {
    return `must not contain ${name}, which this provider or its connection sets`;
  }
  if (seen.has(lower)) {
    return `contains ${name} twice`;
  }
  return typeof value === "string" && /^[\t\x20-\x7e]*$/.test(value)
    ? undefined
    : `must have a string of ASCII characters without line breaks for ${name}`;
}
