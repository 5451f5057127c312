import { decode, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { type RawValues, unknown } from "../../resources/lifecycle";
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

/** @returns undefined for null: the block of what is not there. */
export function readBlock(value: DynamicValue | undefined): Block | undefined {
  const block = readValue(value);
  return typeof block === "object" && block !== null ? { ...block } : undefined;
}

export function readValue(value: DynamicValue | undefined): unknown {
  return value?.msgpack === undefined ? undefined : decode(value.msgpack, { extensionCodec: extensions });
}

export function writeValue(value: unknown): DynamicValue {
  return { msgpack: new Encoder({ extensionCodec: extensions }).encode(value ?? null) };
}

/** A value of an attribute as the engine takes it; undefined where it is null. */
export function plain(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? undefined;
  }
  if (type === "dynamic") {
    // Its type stands before it.
    return Array.isArray(value) ? value[1] : value;
  }
  const members = membersOf(type);
  return members === undefined ? value : without(mapped(members, (name, member) => plain(member, Object(value)[name])));
}

/** The other direction: a value that has this type, and null for each part that it lacks. */
export function typed(type: unknown, value: unknown): unknown {
  if (value === null || value === undefined || value === unknown) {
    return value ?? null;
  }
  if (type === "dynamic") {
    return [Buffer.from(JSON.stringify(typeOf(value))), value];
  }
  const members = membersOf(type);
  return members === undefined ? value : mapped(members, (name, member) => typed(member, Object(value)[name]));
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
  if (typeof value === "object" && value !== null) {
    return ["object", mapped({ ...value }, (_, item) => typeOf(item))];
  }
  return typeof value === "boolean" ? "bool" : typeof value === "number" ? "number" : "string";
}

function mapped<T, R>(values: Record<string, T>, change: (name: string, value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}

function without(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
