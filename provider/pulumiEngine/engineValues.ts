import type { CheckFailure } from "../definitions/rules";
import { type RawValues, unknown } from "../definitions/values";
import { mapValues } from "../support/objects";

/** The engine marks a special value with this key. The value under the key identifies the meaning. */
export const specialSigKey = "4dabf18193072939515e22adb298388d";
export const specialSecretSig = "1b47061264138c4ac30d75fd1eb44270";

const unknownOnTheWire = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function decodeUnknown(properties: RawValues): RawValues {
  return mapValues(properties, (_, item) => replace(item, unknownOnTheWire, unknown));
}

export function encodeUnknown(properties: RawValues): RawValues {
  return mapValues(properties, (_, item) => replace(item, unknown, unknownOnTheWire));
}

function replace(value: unknown, from: unknown, to: unknown): unknown {
  if (value === from) {
    return to;
  }
  if (Array.isArray(value)) {
    return value.map((item) => replace(item, from, to));
  }
  return typeof value === "object" && value !== null
    ? mapValues({ ...value }, (_, item) => replace(item, from, to))
    : value;
}

export function withErrorCode({ property, reason }: CheckFailure): CheckFailure {
  return { property, reason: `DOCS_CONFIGURATION: ${reason}` };
}

/** Throws if the value cannot be encoded. A later error of the SDK would lose the started job. */
export function toJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
