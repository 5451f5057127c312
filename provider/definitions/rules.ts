import { InternalError } from "../support/errors";
import { identifierProblem } from "../support/identifier";
import { pickProperties } from "../support/objects";
import { parseDuration } from "../support/time/duration";
import { type Guard, isAnything, isBoolean, isOneOf, isPlainObject, isText } from "./guards";
import { type RawValues, unknown } from "./values";

/** The reason why an input is refused. `property` is empty if a setting is the cause. */
export interface CheckFailure {
  property: string;
  reason: string;
}

/** Returns the reason why a value is refused, or undefined if the value is valid. */
export interface ValidationRule<T> {
  (value: unknown): string | undefined;
  /** Checks only the type. A value from the state need not satisfy the whole rule. */
  readonly is: Guard<T>;
  readonly members?: readonly string[];
}

export function createValidationRule<T>(
  is: Guard<T>,
  otherType: string,
  problem: (value: T) => string | undefined = () => undefined,
): ValidationRule<T> {
  return Object.assign((value: unknown) => (is(value) ? problem(value) : otherType), { is });
}

export interface FieldDefinition<T> {
  readonly rule: ValidationRule<T>;
  readonly required?: true;
  readonly default?: T;
  /** Returns the value for a missing input. A check adds this value to the inputs, so that a preview knows it. */
  fill?(inputs: RawValues, projectId: unknown): unknown;
  advice?(): string;
}

export type RequiredOrFilledField = { readonly required: true } | { readonly fill: unknown };

type Ruled<T> = { readonly rule: { readonly is: Guard<T> } };
type ValueOf<Given> = Given extends Ruled<infer T> ? T : never;
type Required<Given> = Given extends Ruled<unknown> & RequiredOrFilledField ? true : false;
type Optional<Given> = Given extends Ruled<unknown> ? (Given extends RequiredOrFilledField ? false : true) : false;

export type InputsAcceptedBy<Given> = {
  -readonly [Name in keyof Given as Required<Given[Name]> extends true ? Name : never]: ValueOf<Given[Name]>;
} & {
  -readonly [Name in keyof Given as Optional<Given[Name]> extends true ? Name : never]?: ValueOf<Given[Name]>;
};

export type InputFields = Readonly<Record<string, FieldDefinition<unknown>>>;

/**
 * Checks every input by its rule, and returns at most one failure for each property. An unknown value is accepted. Null
 * counts as not given.
 * @param owner the name, for messages, of the resource or function that has these inputs.
 * @param filled the inputs together with the values that the check has filled in.
 */
export function validateInputs(
  inputs: RawValues,
  fields: InputFields,
  owner = "this resource",
  filled: RawValues = inputs,
) {
  const failures: CheckFailure[] = [];
  for (const [property, { rule, required, advice }] of Object.entries(fields)) {
    const value = inputs[property];
    const reason = isGiven(value)
      ? value === unknown
        ? undefined
        : rule(value)
      : required && !isGiven(filled[property])
        ? ["is required", advice?.()].filter((part) => part !== undefined).join(": ")
        : undefined;
    if (reason !== undefined) {
      failures.push({ property, reason });
    }
  }
  for (const property of Object.keys(inputs)) {
    if (!Object.hasOwn(fields, property)) {
      const names = Object.keys(fields).join(", ");
      failures.push({ property, reason: `is not an argument of ${owner}, which has ${names}` });
    }
  }
  return failures;
}

export function withoutUnset(inputs: RawValues): RawValues {
  return pickProperties(inputs, (_, value) => isGiven(value));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function requireValidInputs<Given extends object>(given: Given, values: RawValues): InputsAcceptedBy<Given> {
  const fields = pickProperties(given, (_, field) => "rule" in Object(field)) as InputFields;
  const known = pickProperties(values, (name, value) => Object.hasOwn(fields, name) && isGiven(value));
  // Unlike `validateInputs`, this loop accepts no unknown value, and requires each value that the check fills in.
  for (const [name, { rule, required, fill }] of Object.entries(fields)) {
    const reason = isGiven(known[name]) ? rule(known[name]) : required || fill ? "is missing" : undefined;
    if (reason !== undefined) {
      throw new InternalError(new Error(`${name} ${reason}, but the check accepted it`));
    }
  }
  return known as RawValues & InputsAcceptedBy<Given>;
}

const label = /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)$/u;

/** A bare host name. The API text calls it "domain of the deployment to export (a host name)". */
export const hostNameRule = createValidationRule(isText, "must be a host name such as docs.example.com", (value) => {
  const fault =
    (value.trim() === "" && "is blank") ||
    (/\s/.test(value) && "contains a space") ||
    (/:\/\//.test(value) && "contains a scheme") ||
    (/[/?#\\]/.test(value) && "contains a path") ||
    (/@/.test(value) && "contains a user name") ||
    (/:/.test(value) && "contains a port") ||
    ((value.length > 253 || !value.split(".").every((part) => label.test(part))) && "is not a host name");
  return fault ? `${fault}: give the bare host name, such as docs.example.com` : undefined;
});

export const identifierRule = createValidationRule(
  isText,
  "must be an id, as the platform returned it",
  identifierProblem,
);

const notBlank = "must be a string that is not blank";
export const textRule = createValidationRule(isText, notBlank, (value) => (value.trim() === "" ? notBlank : undefined));

export const booleanRule = createValidationRule(isBoolean, "must be true or false");

export const anyValueRule = createValidationRule(isAnything, "");

export function durationRule({ zero }: { zero: boolean }): ValidationRule<string> {
  const problem = `must be a duration such as "90s" or "1h30m", ${zero ? "of zero or more" : "above zero"}`;
  return createValidationRule(isText, problem, (value) => {
    const milliseconds = parseDuration(value);
    return milliseconds !== undefined && (milliseconds > 0 || zero) ? undefined : problem;
  });
}

export const waitTimeoutField = { rule: durationRule({ zero: false }), default: "30m" } as const;

export function oneOf<const T extends string>(...choices: readonly T[]): ValidationRule<T> {
  return createValidationRule(isOneOf(...choices), `must be ${choices.map((choice) => `"${choice}"`).join(" or ")}`);
}

export function objectOf<const Given extends InputFields>(fields: Given): ValidationRule<InputsAcceptedBy<Given>> {
  const members = Object.keys(fields);
  const problem = (value: unknown) => {
    if (!isPlainObject(value)) {
      return `must be an object with ${members.join(", ")}`;
    }
    const [failure] = validateInputs(value, fields, "this object");
    return failure && `is wrong: ${failure.property} ${failure.reason}`;
  };
  const is = (value: unknown): value is InputsAcceptedBy<Given> => problem(value) === undefined;
  return Object.assign(problem, { is, members });
}
