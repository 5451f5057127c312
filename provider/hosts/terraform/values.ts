import { Decoder, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { type RawValues, unknown } from "../../definitions/values";
import { ConfigurationError } from "../../support/errors";
import { camelCase } from "../../support/words";
import type { AttributeSchema } from "./schema";
import type { DynamicValue } from "./wire/messages";

/** A block as Terraform sends it: every attribute by its name in Terraform, null if the attribute is not given. */
export type Block = Readonly<Record<string, unknown>>;

export type AttributeSchemas = Readonly<Record<string, AttributeSchema>>;

/** An unknown value, or a refinement (an unknown value with known facts), which is not used here. */
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
 * The library refuses this key without naming its path. The other key occurs in no value of Terraform, and serves to
 * find that path.
 */
const [prototypeKey, markedKey] = ["__proto__", "\ud800"];

/** Whole numbers of 64 bits become a `bigint`, since a `number` would round them. */
const wireForm = { extensionCodec: extensions, useBigInt64: true };
/** One decoder and one encoder serve all values, because creating one costs as much as using it. */
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

/** @returns undefined for null, which stands for the block of an object that does not exist. */
export function readBlock(value: DynamicValue | undefined): Block | undefined {
  return isAbsent(value) ? undefined : Object(readValue(value));
}

export function isAbsent(value: DynamicValue | undefined): boolean {
  return value?.msgpack === undefined || value.msgpack[0] === nil;
}

export function readValue(value: DynamicValue | undefined): unknown {
  return value?.msgpack === undefined ? undefined : decoder.decode(value.msgpack);
}

export function writeValue(value: unknown): DynamicValue {
  return { msgpack: encoder.encode(value ?? null) };
}

/**
 * Returns a value as JSON has it.
 * @param path the value's path for a person.
 * @throws ConfigurationError if a number or a key would be changed on the way back.
 */
export function plainValue(type: unknown, value: unknown, path: string): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? undefined;
  }
  const members = membersOf(type);
  return members === undefined
    ? (jsonValue(type, value, path) ?? undefined)
    : without(mapped(members, (name, member) => plainValue(member, Object(value)[name], `${path}.${name}`)));
}

/** Returns a value inside another value of any type. Here null is a value, too. */
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
    : mapped({ ...Object(value) }, (name, item) => {
        if (name === markedKey) {
          throw new ConfigurationError([`${path} has a key ${prototypeKey}, which cannot be kept`], "rename the key.");
        }
        return jsonValue(typeOfMember(name), item, `${path}.${name}`);
      });
}

/** Longer than the common notation of any float64. So the work on one number has a limit. */
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

export function typed(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    return [Buffer.from(JSON.stringify(typeOf(value))), onWire(value)];
  }
  const members = membersOf(type);
  return members === undefined ? onWire(value) : mapped(members, (name, member) => typed(member, Object(value)[name]));
}

function onWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Array.isArray(value) ? value.map(onWire) : mapped({ ...value }, (_, item) => onWire(item));
}

export function plainValues(attributes: AttributeSchemas, block: Block): RawValues {
  const values: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(attributes)) {
    const value = plainValue(type, block[name], name);
    if (value !== undefined) {
      values[camelCase(name)] = value;
    }
  }
  return values;
}

export function resultBlock(attributes: AttributeSchemas, configured: Block, found: RawValues): DynamicValue {
  return writeValue(mapped(attributes, (name, { type }) => configured[name] ?? typed(type, found[camelCase(name)])));
}

function membersOf(type: unknown): Record<string, unknown> | undefined {
  return Array.isArray(type) && type[0] === "object" ? type[1] : undefined;
}

function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return ["tuple", value.map(typeOf)];
  }
  if (typeof value === "object" && value !== null) {
    return ["object", mapped({ ...value }, (_, item) => typeOf(item))];
  }
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}

function mapped<T, R>(values: Readonly<Record<string, T>>, change: (name: string, value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}

function without(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
