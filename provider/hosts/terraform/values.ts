import { Decoder, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { type RawValues, unknown } from "../../definitions/values";
import { ConfigurationError } from "../../support/errors";
import { mapValues, pickProperties } from "../../support/objects";
import { camelCase } from "../../support/words";
import type { AttributeSchema } from "./schema";
import type { DynamicValue } from "./wire/messages";

/** A block as Terraform sends it. An attribute without a value is null. */
export type BlockValues = Readonly<Record<string, unknown>>;

export type AttributeSchemas = Readonly<Record<string, AttributeSchema>>;

/** The MessagePack extension types of unknown values. A refined value has known facts, which this provider ignores. */
const unknownType = 0;
const refinedType = 12;

const nil = 0xc0;

const extensions = new ExtensionCodec();
extensions.register({
  type: unknownType,
  encode: (value: unknown) => (value === unknown ? new Uint8Array([0]) : null),
  decode: () => unknown,
});
extensions.register({ type: refinedType, encode: () => null, decode: () => unknown });

/**
 * The library refuses the key `__proto__`, and its error does not say where the key is. So the decoder replaces the key
 * with one that Terraform never sends, and a later step reports the key with its path.
 */
const [prototypeKey, markedKey] = ["__proto__", "\ud800"];

/** A `number` would round a whole number of 64 bits, so such a number becomes a `bigint`. */
const wireForm = { extensionCodec: extensions, useBigInt64: true };
/** All values share one decoder, because creating a decoder costs as much as decoding a value. */
const decoder = new Decoder({
  ...wireForm,
  keyDecoder: {
    canBeCached: (length) => length === prototypeKey.length,
    decode: (bytes, offset, length) => {
      const key = Buffer.from(bytes.subarray(offset, offset + length)).toString();
      return key === prototypeKey ? markedKey : key;
    },
  },
});
const encoder = new Encoder(wireForm);

/** @returns undefined for null, because Terraform sends null as the block of a resource that does not exist. */
export function readBlock(value: DynamicValue | undefined): BlockValues | undefined {
  return isNullOrMissing(value) ? undefined : Object(readValue(value));
}

export function isNullOrMissing(value: DynamicValue | undefined): boolean {
  return value?.msgpack === undefined || value.msgpack[0] === nil;
}

export function readValue(value: DynamicValue | undefined): unknown {
  return value?.msgpack === undefined ? undefined : decoder.decode(value.msgpack);
}

export function encodeDynamicValue(value: unknown): DynamicValue {
  return { msgpack: encoder.encode(value ?? null) };
}

/**
 * Converts to a value that JSON can contain. Null becomes undefined.
 * @param path the value's path, for the error text.
 * @throws ConfigurationError if the value has a number or a key that JSON would change.
 */
export function fromTerraformValue(type: unknown, value: unknown, path: string): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? undefined;
  }
  const members = membersOf(type);
  return members === undefined
    ? (jsonValue(type, value, path) ?? undefined)
    : pickProperties(
        mapValues(members, (name, member) => fromTerraformValue(member, Object(value)[name], `${path}.${name}`)),
        (_, member) => member !== undefined,
      );
}

/** For a value such as `triggers`. Keeps null, because a program may write null inside such a value. */
function jsonValue(type: unknown, value: unknown, path: string): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    const [own, inner] = Object(value);
    return jsonValue(JSON.parse(Buffer.from(own).toString("utf8")), inner, path);
  }
  if (type === "number") {
    return numberOf(String(value), path);
  }
  const [kind, of] = Array.isArray(type) ? type : [];
  if (kind === undefined) {
    return value;
  }
  const typeOfMember = (member: string | number) => (kind === "object" || kind === "tuple" ? of[member] : of);
  return Array.isArray(value)
    ? value.map((item, index) => jsonValue(typeOfMember(index), item, `${path}[${index}]`))
    : mapValues({ ...Object(value) }, (name, item) => {
        if (name === markedKey) {
          throw new ConfigurationError([`${path} has a key ${prototypeKey}, which cannot be kept`], "rename the key.");
        }
        return jsonValue(typeOfMember(name), item, `${path}.${name}`);
      });
}

/** In characters. No usual text of a float64 is as long. The limit keeps the work on one number small. */
const longestDecimal = 400;

function numberOf(decimal: string, path: string): number {
  const rounded = Number(decimal);
  if (decimal.length > longestDecimal || significantDigits(String(rounded)) !== significantDigits(decimal)) {
    throw new ConfigurationError(
      [`${path} has a number with more digits than a 64-bit floating-point number keeps`],
      "give the number as a text.",
    );
  }
  return rounded;
}

function significantDigits(decimal: string): string {
  return decimal
    .replace(/e.*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "");
}

export function toTerraformValue(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    return [Buffer.from(JSON.stringify(typeOf(value))), value];
  }
  const members = membersOf(type);
  return members === undefined
    ? value
    : mapValues(members, (name, member) => toTerraformValue(member, Object(value)[name]));
}

export function fromTerraformBlock(attributes: AttributeSchemas, block: BlockValues): RawValues {
  const values: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(attributes)) {
    const value = fromTerraformValue(type, block[name], name);
    if (value !== undefined) {
      values[camelCase(name)] = value;
    }
  }
  return values;
}

export function encodeResultBlock(
  attributes: AttributeSchemas,
  configured: BlockValues,
  found: RawValues,
): DynamicValue {
  return encodeDynamicValue(
    mapValues(attributes, (name, { type }) => configured[name] ?? toTerraformValue(type, found[camelCase(name)])),
  );
}

function membersOf(type: unknown): Record<string, unknown> | undefined {
  return Array.isArray(type) && type[0] === "object" ? type[1] : undefined;
}

function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return ["tuple", value.map(typeOf)];
  }
  if (typeof value === "object" && value !== null) {
    return ["object", mapValues({ ...value }, (_, item) => typeOf(item))];
  }
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}
