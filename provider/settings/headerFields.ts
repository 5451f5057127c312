import { validateHeaderName, validateHeaderValue } from "node:http";
import { parseJsonObject } from "../support/parseJsonObject";

export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** Header fields that only the provider sets, or that belong to the connection (RFC 9110, 7.6.1). */
const reserved = [
  ...["authorization", "host", "accept", "user-agent", "idempotency-key", "range"],
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
  ...["proxy-authenticate", "proxy-authorization", "proxy-connection"],
];

/** A problem's description contains no header value, because the value may be a secret. */
export function parseHeaderFields(text: string): HeaderFields | { problem: string } {
  const fields = Object.entries(parseJsonObject(text) ?? { "": undefined });
  if (!fields.every((field): field is [string, string] => typeof field[1] === "string")) {
    return { problem: 'must be a JSON object with string values, such as {"X-Gateway-Token": "…"}' };
  }
  const names = fields.map(([name]) => name.toLowerCase());
  const problems = fields.flatMap(([name, value], index) => problemOf(name, value, names.slice(0, index)) ?? []);
  return problems[0] === undefined ? fields : { problem: problems[0] };
}

function problemOf(name: string, value: string, earlier: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  if (reserved.includes(lower) || lower.startsWith("content-")) {
    return `must not contain ${name}, which this provider or its connection sets`;
  }
  if (earlier.includes(lower)) {
    return `contains ${name} twice`;
  }
  try {
    validateHeaderName(name);
  } catch {
    return "has an invalid header name";
  }
  try {
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return `has a value for ${name} that HTTP does not allow, such as one with a line break`;
  }
}
