import type { CheckFailure } from "../definitions/rules";
import { type RawValues, unknown } from "../definitions/values";

/** The text by which the engine writes an unknown value of any type. */
const unknownOnTheWire = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Returns what the engine sent, with unknown values marked. */
export function decodeUnknown(properties: RawValues): RawValues {
  return replaceIn(properties, unknownOnTheWire, unknown);
}

/** Returns the properties as the engine takes them, with the engine's text for unknown values. */
export function encodeUnknown(properties: RawValues): RawValues {
  return replaceIn(properties, unknown, unknownOnTheWire);
}

function replaceIn(values: object, from: unknown, to: unknown): RawValues {
  return Object.fromEntries(Object.entries(values).map(([key, item]) => [key, replace(item, from, to)]));
}

function replace(value: unknown, from: unknown, to: unknown): unknown {
  if (value === from) {
    return to;
  }
  if (Array.isArray(value)) {
    return value.map((item) => replace(item, from, to));
  }
  return typeof value === "object" && value !== null ? replaceIn(value, from, to) : value;
}

/**
 * Returns the failure as the engine shows it, in one line after the name of the resource: with the code that leads a
 * person to the page about it.
 */
export function withCode({ property, reason }: CheckFailure): CheckFailure {
  return { property, reason: `DOCS_CONFIGURATION: ${reason}` };
}

/**
 * Returns a copy that the engine's wire format can encode. If a value cannot be encoded, the host throws after our
 * method has returned, and the started job is lost.
 */
export function toJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
