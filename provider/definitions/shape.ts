import type { RawValues } from "../resources/lifecycle";
import { InternalError } from "../support/errors";

/** Tells whether a value is of a type. */
type Guard<T> = (value: unknown) => value is T;

/** What may stand at one name. */
export interface Property<T> {
  is: Guard<T>;
  optional: boolean;
}

/** The properties of a type, which the compiler holds to it. */
export type Shape<T> = {
  readonly [Name in keyof T]-?: Property<Exclude<T[Name], undefined>> & {
    optional: object extends Pick<T, Name> ? true : false;
  };
};

export function required<T>(is: Guard<T>): { is: Guard<T>; optional: false } {
  return { is, optional: false };
}

export function optional<T>(is: Guard<T>): { is: Guard<T>; optional: true } {
  return { is, optional: true };
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
export const isTrue = (value: unknown): value is true => value === true;
export const isAnything = (_value: unknown): _value is unknown => true;

export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function isOneOf<const T extends string>(...choices: readonly T[]): Guard<T> {
  return (value): value is T => choices.some((choice) => choice === value);
}

export function isObjectOf<T>(shape: Shape<T>): Guard<T> {
  return (value): value is T => isRecord(value) && lacking(shape, value) === undefined;
}

export function isListOf<T>(is: Guard<T>): Guard<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}

/**
 * Values as this type. What has no place in it stays, since another release may have written it; an optional property of
 * another type is left out.
 * @throws InternalError where a required property is missing, or of another type.
 */
export function decode<T>(shape: Shape<T>, values: RawValues, what: string): T {
  const fitting = decodePartly(shape, values);
  if (!isComplete(shape, fitting)) {
    throw new InternalError(new Error(`${what} has no valid ${lacking(shape, fitting)}`));
  }
  return fitting;
}

/** The same, where any property may be missing. */
export function decodePartly<T>(shape: Shape<T>, values: RawValues): Partial<T> {
  const properties = new Map<string, Property<unknown>>(Object.entries(shape));
  const fitting = Object.entries(values).filter(([name, value]) => properties.get(name)?.is(value) ?? true);
  const kept: Partial<T> = {};
  return Object.assign(kept, Object.fromEntries(fitting));
}

/** The first required property that is missing or of another type. */
function lacking<T>(shape: Shape<T>, values: object): string | undefined {
  const properties: [string, Property<unknown>][] = Object.entries(shape);
  const given = new Map<string, unknown>(Object.entries(values));
  return properties.find(([name, { is, optional }]) => (given.has(name) ? !is(given.get(name)) : !optional))?.[0];
}

function isComplete<T>(shape: Shape<T>, values: Partial<T>): values is T & Partial<T> {
  return lacking(shape, values) === undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
