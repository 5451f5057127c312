/**
 * Returns true for a value of the type. A guard does not use zod, because the provider loads zod only at the first
 * request.
 */
export type Guard<T> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
export const isTrue = (value: unknown): value is true => value === true;
export const isAnything = (_value: unknown): _value is unknown => true;

export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function isOneOf<const T extends string>(...choices: readonly T[]): Guard<T> {
  return (value): value is T => choices.some((choice) => choice === value);
}
