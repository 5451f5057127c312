import { Decoder, Encoder, ExtData, ExtensionCodec } from "@msgpack/msgpack";
import type { DynamicValue } from "../../../provider/hosts/terraform/wire/messages";

/** A type as Terraform writes it in JSON. */
export type Type =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", Type]
  | readonly ["tuple", readonly Type[]]
  | readonly ["object", Readonly<Record<string, Type>>];

/** A value that is unknown before the apply. */
export const notKnown: unique symbol = Symbol("not known");

/** A value of Terraform with its type. A number is its decimal text, of any length. A null of no type has the type `dynamic`. */
export interface Value {
  readonly type: Type;
  readonly content: null | typeof notKnown | boolean | string | readonly Value[] | Readonly<Record<string, Value>>;
}

export function nullOf(type: Type): Value {
  return { type, content: null };
}

export function unknownOf(type: Type): Value {
  return { type, content: notKnown };
}

export const textValue = (content: string): Value => ({ type: "string", content: content.normalize("NFC") });
export const bool = (content: boolean): Value => ({ type: "bool", content });
export const number = (decimal: string): Value => ({ type: "number", content: plainDecimal(decimal) });
export const tuple = (...items: Value[]): Value => ({ type: ["tuple", items.map(({ type }) => type)], content: items });
export const list = (type: Type, ...items: Value[]): Value => ({ type: ["list", type], content: items });
export const set = (type: Type, ...items: Value[]): Value => ({ type: ["set", type], content: items });
export const map = (type: Type, items: Record<string, Value>): Value => ({ type: ["map", type], content: items });
export const object = (items: Record<string, Value>): Value => ({
  type: ["object", mapped(items, ({ type }) => type)],
  content: items,
});

/** Writes equal numbers as equal texts: without an exponent, and without needless zeros. */
export function plainDecimal(decimal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  if (whole === "") {
    throw new Error(`${decimal} is no number`);
  }
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const before = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const after = point > 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  const shown = [before.replace(/^0+(?=\d)/, ""), after.replace(/0+$/, "")].filter((part) => part !== "").join(".");
  return sign === "-" && shown !== "0" ? `-${shown}` : shown;
}

/** Returns whether a float64 holds the number without a loss. */
function fitsDouble(decimal: string): boolean {
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  let [digits, scale] = [BigInt(whole + fraction), 10n ** BigInt(fraction.length)];
  while (digits % 2n === 0n && scale % 2n === 0n && scale > 1n) {
    [digits, scale] = [digits / 2n, scale / 2n];
  }
  while (digits % 5n === 0n && scale % 5n === 0n) {
    [digits, scale] = [digits / 5n, scale / 5n];
  }
  return (scale & (scale - 1n)) === 0n && digits < 2n ** 53n;
}

const codec = new ExtensionCodec();
codec.register({
  type: 0,
  encode: (value) => (value === notKnown ? new Uint8Array([0]) : null),
  decode: () => notKnown,
});
codec.register({ type: 12, encode: () => null, decode: () => notKnown });
const wireForm = { extensionCodec: codec, useBigInt64: true };
const encoder = new Encoder(wireForm);
const decoder = new Decoder(wireForm);

/** Encodes a value as Terraform sends it. */
export function encodeValue(type: Type, value: Value): { msgpack: Uint8Array } {
  return { msgpack: encoder.encode(toWire(type, value)) };
}

function toWire(type: Type, { type: own, content }: Value): unknown {
  if (type === "dynamic" && own !== "dynamic") {
    return [Buffer.from(JSON.stringify(own)), toWire(own, { type: own, content })];
  }
  if (content === null || content === notKnown || typeof content === "boolean") {
    return content;
  }
  if (typeof content === "string") {
    return own === "number" ? numberToWire(content) : content;
  }
  if (Array.isArray(content)) {
    return content.map((item: Value, index) => toWire(memberType(own, index), item));
  }
  return Object.fromEntries(
    Object.entries(content)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, item]) => [name, toWire(memberType(own, name), item)]),
  );
}

function numberToWire(decimal: string): unknown {
  if (!decimal.includes(".")) {
    const whole = BigInt(decimal);
    if (whole < -(2n ** 63n) || whole >= 2n ** 63n) {
      return decimal;
    }
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
  }
  return fitsDouble(decimal) ? Number(decimal) : decimal;
}

/**
 * Decodes an answer as Terraform reads it.
 * @throws if the answer does not conform to the type
 */
export function decodeValue(type: Type, answer: DynamicValue | undefined): Value {
  if (answer?.json !== undefined && answer.json.length > 0) {
    return ofJson(type, Buffer.from(answer.json).toString());
  }
  if (answer?.msgpack === undefined) {
    return nullOf(type);
  }
  return ofWire(type, decoder.decode(answer.msgpack), "");
}

function ofWire(type: Type, raw: unknown, path: string): Value {
  if (raw === null) {
    return nullOf(type);
  }
  if (raw instanceof ExtData || raw === notKnown) {
    return unknownOf(type);
  }
  if (type === "dynamic") {
    if (!Array.isArray(raw) || raw.length !== 2) {
      throw new Error(`${path}: a dynamic value must be a type and a value`);
    }
    const own: Type = JSON.parse(Buffer.from(raw[0]).toString());
    return ofWire(own, raw[1], path);
  }
  if (type === "number") {
    if (!["number", "bigint", "string"].includes(typeof raw)) {
      throw new Error(`${path}: a number is required`);
    }
    return number(String(raw));
  }
  if (type === "string" && typeof raw === "string") {
    return textValue(raw);
  }
  if (type === "bool" && typeof raw === "boolean") {
    return bool(raw);
  }
  if (typeof type !== "string") {
    return { type, content: membersOfWire(type, raw, path) };
  }
  throw new Error(`${path}: ${JSON.stringify(type)} is required, not ${typeof raw}`);
}

function membersOfWire(type: Exclude<Type, string>, raw: unknown, path: string): Value["content"] {
  const [kind, of] = type;
  if (kind === "list" || kind === "set" || kind === "tuple") {
    if (!Array.isArray(raw) || (kind === "tuple" && raw.length !== of.length)) {
      throw new Error(`${path}: a ${kind} is required`);
    }
    return raw.map((item, index) => ofWire(memberType(type, index), item, `${path}[${index}]`));
  }
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Error(`${path}: a ${kind} is required`);
  }
  const given = Object.entries(raw);
  if (kind === "object") {
    const wanted = Object.keys(of);
    if (given.length !== wanted.length || wanted.some((name) => !Object.hasOwn(raw, name))) {
      throw new Error(`${path}: an object with ${wanted.length} attributes is required (${given.length} given)`);
    }
  }
  return Object.fromEntries(
    given.map(([name, item]) => [name, ofWire(memberType(type, name), item, `${path}.${name}`)]),
  );
}

function memberType(type: Type, member: string | number): Type {
  const [, of] = type as [string, Type | readonly Type[] | Readonly<Record<string, Type>>];
  if (type[0] === "tuple" || type[0] === "object") {
    return (of as Record<string | number, Type>)[member] ?? "dynamic";
  }
  return of as Type;
}

/** Formats a value as the state file has it: numbers with all their digits. */
export function jsonOf(type: Type, { type: own, content }: Value): string {
  if (type === "dynamic" && own !== "dynamic") {
    return `{"value":${jsonOf(own, { type: own, content })},"type":${JSON.stringify(own)}}`;
  }
  if (content === null) {
    return "null";
  }
  if (typeof content === "string") {
    return own === "number" ? content : JSON.stringify(content);
  }
  if (typeof content === "boolean") {
    return String(content);
  }
  if (content === notKnown) {
    throw new Error("what is not known lies in no state");
  }
  if (Array.isArray(content)) {
    return `[${content.map((item, index) => jsonOf(memberType(own, index), item)).join()}]`;
  }
  const members = Object.entries(content).map(
    ([name, item]) => `${JSON.stringify(name)}:${jsonOf(memberType(own, name), item)}`,
  );
  return `{${members.join()}}`;
}

function ofJson(type: Type, json: string): Value {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const quoted = json.replace(token, (found) => (found.startsWith('"') ? found : `"${found}"`));
  return parsed(type, JSON.parse(quoted));
}

function parsed(type: Type, raw: unknown): Value {
  if (raw === null || raw === undefined) {
    return nullOf(type);
  }
  if (type === "dynamic") {
    const { type: own, value } = raw as { type: Type; value: unknown };
    return parsed(own, value);
  }
  if (type === "number") {
    return number(String(raw));
  }
  if (type === "string" || type === "bool") {
    return { type, content: raw as string | boolean };
  }
  if (Array.isArray(raw)) {
    return { type, content: raw.map((item, index) => parsed(memberType(type, index), item)) };
  }
  const names = type[0] === "object" ? Object.keys(type[1]) : Object.keys(raw as object);
  const items = raw as Record<string, unknown>;
  return {
    type,
    content: Object.fromEntries(names.map((name) => [name, parsed(memberType(type, name), items[name])])),
  };
}

/** Compares the types, the nulls and the unknown parts. */
export function same(left: Value, right: Value): boolean {
  if (!sameType(left.type, right.type)) {
    return false;
  }
  const [one, other] = [left.content, right.content];
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return one === other;
  }
  const [names, others] = [Object.keys(one), Object.keys(other)];
  const members = (value: object, name: string): Value => (value as Record<string, Value>)[name] as Value;
  return (
    names.length === others.length &&
    names.every((name) => others.includes(name) && same(members(one, name), members(other, name)))
  );
}

export function sameType(left: Type, right: Type): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(type: unknown): unknown {
  if (Array.isArray(type)) {
    return type.map(sorted);
  }
  if (typeof type !== "object" || type === null) {
    return type;
  }
  const entries = Object.entries(type).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

export function hasUnknown({ content }: Value): boolean {
  if (content === notKnown) {
    return true;
  }
  return typeof content === "object" && content !== null && Object.values(content).some(hasUnknown);
}

export function shown({ type, content }: Value): string {
  const inner = (value: Value["content"]): unknown => {
    if (value === notKnown) {
      return "(unknown)";
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    if (Array.isArray(value)) {
      return value.map((item) => inner(item.content));
    }
    return mapped(value as Record<string, Value>, (item) => inner(item.content));
  };
  return `${JSON.stringify(type)} ${JSON.stringify(inner(content))}`;
}

function mapped<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
