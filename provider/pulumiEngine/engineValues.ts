import type { CheckFailure } from "../definitions/rules";
import { type RawValues, unknown } from "../definitions/values";
import { mapValues } from "../support/objects";

/** An object with this key is a special value of the engine. The text under the key says which kind it is. */
export const specialSigKey = "4dabf18193072939515e22adb298388d";
export const specialSecretSig = "1b47061264138c4ac30d75fd1eb44270";

const unknownOnTheWire = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function decodeUnknownValues(properties: RawValues): RawValues {
  return mapValues(properties, (_, item) => replace(item, unknownOnTheWire, unknown));
}

export function encodeUnknownValues(properties: RawValues): RawValues {
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

/** Throws if the value cannot be encoded. The SDK would throw later, and the started job would be lost. */
export function withoutUndefinedValues<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
