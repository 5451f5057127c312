import { decode, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { type RawValues, unknown } from "../../definitions/values";
import { ExactNumber, exactNumber } from "./exactNumber";
import type { AttributeSchema } from "./schema";
import type { DynamicValue } from "./wire/messages";

/** A block as Terraform sends it: every attribute by its name there, null where it is not given. */
export type Block = Readonly<Record<string, unknown>>;

export type Attributes = Readonly<Record<string, AttributeSchema>>;

/** An unknown value, and one of which something is known already (a refinement), which is not used here. */
const unknownType = 0;
const refinedType = 12;

const extensions = new ExtensionCodec();
extensions.register({
  type: unknownType,
  encode: (value: unknown) => (value === unknown ? new Uint8Array([0]) : null),
  decode: () => unknown,
});
extensions.register({ type: refinedType, encode: () => null, decode: () => unknown });

/** Whole numbers of 64 bits are no `number`, which would round them. */
const wireForm = { extensionCodec: extensions, useBigInt64: true };

/** @returns undefined for null: the block of what is not there. */
export function readBlock(value: DynamicValue | undefined): Block | undefined {
  const block = readValue(value);
  return typeof block === "object" && block !== null ? { ...block } : undefined;
}

/** Nothing of it is rounded or guessed: written again, it is the same value. */
export function readValue(value: DynamicValue | undefined): unknown {
  return value?.msgpack === undefined ? undefined : decode(value.msgpack, wireForm);
}

export function writeValue(value: unknown): DynamicValue {
  return { msgpack: new Encoder(wireForm).encode(value ?? null) };
}

/** A value of an attribute as the engine takes it; undefined where it is null, also where that null has a type. */
export function plain(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? undefined;
  }
  const members = membersOf(type);
  return members === undefined
    ? (jsonValue(type, value) ?? undefined)
    : without(mapped(members, (name, member) => plain(member, Object(value)[name])));
}

/** A value inside one of any type, where null is a value, too. */
function jsonValue(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    const [own, inner] = Object(value);
    return jsonValue(JSON.parse(Buffer.from(own).toString("utf8")), inner);
  }
  if (type === "number") {
    return exactNumber(value as number | bigint | string);
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

/** The other direction: a value that has this type, and null for each part that it lacks. */
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

/** A number that no float64 holds is sent as its digits. */
function onWire(value: unknown): unknown {
  if (value instanceof ExactNumber) {
    return value.digits;
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Array.isArray(value) ? value.map(onWire) : mapped({ ...value }, (_, item) => onWire(item));
}

/** The values of a block by the names of the definitions, without those that are null. */
export function plainValues(attributes: Attributes, block: Block): RawValues {
  const values = Object.entries(attributes).map(([name, { property, type }]) => [property, plain(type, block[name])]);
  return without(Object.fromEntries(values));
}

/** What the members of an object are, by the type of the object. */
function membersOf(type: unknown): Record<string, unknown> | undefined {
  return Array.isArray(type) && type[0] === "object" ? type[1] : undefined;
}

/** The type that a value shows by itself. */
function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return ["tuple", value.map(typeOf)];
  }
  if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
    return ["object", mapped({ ...value }, (_, item) => typeOf(item))];
  }
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}

function mapped<T, R>(values: Record<string, T>, change: (name: string, value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}

function without(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
