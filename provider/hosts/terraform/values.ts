import { Decoder, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { type RawValues, unknown } from "../../definitions/values";
import { camelCase } from "../../support/words";
import { ExactNumber, exactNumber } from "./exactNumber";
import type { AttributeSchema } from "./schema";
import type { DynamicValue } from "./wire/messages";

/** A block as Terraform sends it: every attribute by its name in Terraform, null if the attribute is not given. */
export type Block = Readonly<Record<string, unknown>>;

export type AttributeSchemas = Readonly<Record<string, AttributeSchema>>;

/** An unknown value, and one about which something is known (a refinement), which is not used here. */
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

/** Whole numbers of 64 bits become a `bigint`, since a `number` would round them. */
const wireForm = { extensionCodec: extensions, useBigInt64: true };
/** One of each for all values, since a new one costs as much as its work. */
const [decoder, encoder] = [new Decoder(wireForm), new Encoder(wireForm)];

/** A key that the library refuses, since JavaScript would take it for a prototype; and a text that no value of Terraform has. */
const [prototypeKey, stand] = ["__proto__", "\ud800"];
const renamingDecoder = new Decoder({
  ...wireForm,
  keyDecoder: {
    canBeCached: (length) => length === prototypeKey.length,
    decode: (bytes, offset, length) => {
      const key = Buffer.from(bytes.subarray(offset, offset + length)).toString();
      return key === prototypeKey ? stand : key;
    },
  },
});

function withPrototypeKey(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withPrototypeKey);
  }
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array)
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name === stand ? prototypeKey : name, withPrototypeKey(item)]),
      )
    : value;
}

/** @returns undefined for null, the block of an object that does not exist. */
export function readBlock(value: DynamicValue | undefined): Block | undefined {
  return isAbsent(value) ? undefined : Object(readValue(value));
}

export function isAbsent(value: DynamicValue | undefined): boolean {
  return value?.msgpack === undefined || value.msgpack[0] === nil;
}

/** Reads a value without rounding or guessing: if the value is written again, it is equal. */
export function readValue(value: DynamicValue | undefined): unknown {
  if (value?.msgpack === undefined) {
    return undefined;
  }
  return Buffer.from(value.msgpack).includes(prototypeKey)
    ? withPrototypeKey(renamingDecoder.decode(value.msgpack))
    : decoder.decode(value.msgpack);
}

export function writeValue(value: unknown): DynamicValue {
  return { msgpack: encoder.encode(value ?? null) };
}

export function plainValue(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? undefined;
  }
  const members = membersOf(type);
  return members === undefined
    ? (jsonValue(type, value) ?? undefined)
    : without(mapped(members, (name, member) => plainValue(member, Object(value)[name])));
}

/** Returns a value inside another value of any type. Here null is a value, too. */
function jsonValue(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    const [own, inner] = Object(value);
    return jsonValue(JSON.parse(Buffer.from(own).toString("utf8")), inner);
  }
  if (type === "number") {
    return exactNumber(value as number | bigint | string | ExactNumber);
  }
  const [kind, of] = Array.isArray(type) ? type : [];
  if (kind === undefined) {
    return value;
  }
  const typeOfMember = (member: string | number) => (kind === "object" || kind === "tuple" ? of[member] : of);
  return Array.isArray(value)
    ? value.map((item, index) => jsonValue(typeOfMember(index), item))
    : mapped({ ...Object(value) }, (name, item) => jsonValue(typeOfMember(name), item));
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
  if (value instanceof ExactNumber) {
    return value.digits;
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Array.isArray(value) ? value.map(onWire) : mapped({ ...value }, (_, item) => onWire(item));
}

export function plainValues(attributes: AttributeSchemas, block: Block): RawValues {
  const values: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(attributes)) {
    const value = plainValue(type, block[name]);
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
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
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
