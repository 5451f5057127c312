/**
 * Returns true for a value of the type. It is not a zod schema, because the provider loads zod only at the first
 * request.
 */
export type Guard<T> = (value: unknown) => value is T;

type Guarded<G> = G extends Guard<infer T> ? T : never;

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

type Guards = Readonly<Record<string, Guard<unknown>>>;
type Guardeds<All> = { -readonly [Name in keyof All]: Guarded<All[Name]> };

export function isObjectOf<Required extends Guards, Optional extends Guards = Record<never, never>>(
  required: Required,
  optional?: Optional,
): Guard<Guardeds<Required> & Partial<Guardeds<Optional>>> {
  return (value): value is Guardeds<Required> & Partial<Guardeds<Optional>> =>
    isFields(value) &&
    Object.entries(required).every(([name, is]) => is(value[name])) &&
    Object.entries(optional ?? {}).every(([name, is]) => !Object.hasOwn(value, name) || is(value[name]));
}
