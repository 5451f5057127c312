import { type CheckFailure, type RawValues, unknown } from "../resources/lifecycle";
import { InternalError } from "../support/errors";
import { identifierProblem } from "../support/identifier";
import { parseDuration } from "../support/time/duration";

/** Why a value is refused, or undefined where it is good: then it is a T. */
export interface Rule<T> {
  (value: unknown): string | undefined;
  /** Never there: it tells the compiler of T. */
  readonly accepts?: T;
  /** The names of an object's properties. */
  readonly members?: readonly string[];
}

/** What a change of an input does to a resource. */
type Effect = "replace" | "update" | "none";

/** An input, or an argument of a function. */
export interface Field<T> {
  readonly rule: Rule<T>;
  readonly required?: true;
  /** What is in effect where none is given; its docstring says the same, as a test holds. */
  readonly default?: T;
  /** What a check fills in where none is given, so that a preview knows it. */
  fill?(inputs: RawValues, projectId: unknown): unknown;
  /** What to do where it is missing, beyond giving it. */
  advice?(): string;
}

/** An input of a resource. */
interface InputField<T> extends Field<T> {
  readonly onChange: Effect;
  /** Taken away again, it changes nothing: what there is stays. */
  readonly staysWhenRemoved?: true;
  /** While a preview does not know it, it is taken for unchanged, and a warning says so. */
  readonly assumed?: true;
}

export type ArgumentFields<Args> = {
  readonly [Name in keyof Args]-?: Field<Exclude<Args[Name], undefined>> & Presence<Args, Name>;
};

export type InputFields<Inputs> = {
  readonly [Name in keyof Inputs]-?: InputField<Exclude<Inputs[Name], undefined>> & Presence<Inputs, Name>;
};

/** An input that the code relies on is required: the program gives it, or the check fills it in. */
type Presence<Inputs, Name extends keyof Inputs> =
  object extends Pick<Inputs, Name> ? { required?: never } : { required: true };

/** Fields of whatever types. */
export type Fields = Readonly<Record<string, Field<unknown>>>;
export type AnyInputFields = Readonly<Record<string, InputField<unknown>>>;

/**
 * Checks every input by its rule, one failure a property at most. A value that is not known yet passes; null counts as
 * not given.
 * @param owner whose inputs they are, for a person.
 * @param filled the inputs with what the check fills in.
 */
export function validate(
  inputs: RawValues,
  fields: Fields,
  owner = "this resource",
  filled: RawValues = inputs,
): CheckFailure[] {
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

/** Inputs without those that are not given. */
export function withoutUnset(inputs: RawValues): RawValues {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => isGiven(value)));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Inputs that a check has found good, as their type. */
export function requireInputs<Inputs>(fields: ArgumentFields<Inputs>, values: RawValues): Inputs {
  if (!keepsRules(fields, values)) {
    const [failure] = validate(values, fields);
    throw new InternalError(new Error(`${failure?.property} ${failure?.reason}, but the check accepted it`));
  }
  return values;
}

function keepsRules<Inputs>(fields: ArgumentFields<Inputs>, values: RawValues): values is RawValues & Inputs {
  const own: [string, Field<unknown>][] = Object.entries(fields);
  return own.every(([name, { rule, required }]) =>
    isGiven(values[name]) ? rule(values[name]) === undefined : !required,
  );
}

const label = /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)$/u;

/** A bare host name, as "domain of the deployment to export (a host name)" in the API text. */
export const hostName: Rule<string> = (value) => {
  if (typeof value !== "string") {
    return "must be a host name such as docs.example.com";
  }
  const fault =
    (value.trim() === "" && "is blank") ||
    (/\s/.test(value) && "contains a space") ||
    (/:\/\//.test(value) && "contains a scheme") ||
    (/[/?#\\]/.test(value) && "contains a path") ||
    (/@/.test(value) && "contains a user name") ||
    (/:/.test(value) && "contains a port") ||
    ((value.length > 253 || !value.split(".").every((part) => label.test(part))) && "is not a host name");
  return fault ? `${fault}: give the bare host name, such as docs.example.com` : undefined;
};

export const identifier: Rule<string> = (value) =>
  typeof value === "string" ? identifierProblem(value) : "must be an id, as the platform returned it";

export const text: Rule<string> = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "must be a string that is not blank";

export const booleanRule: Rule<boolean> = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

export const anything: Rule<unknown> = () => undefined;

/** More fields of the start: a JSON object without those that have an input of their own. */
export const exportOptions: Rule<Readonly<Record<string, unknown>>> = (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "must be an object";
  }
  return Object.hasOwn(value, "domain") ? "must not contain domain, which is a separate input" : undefined;
};

/** A Go duration above zero, or, with `zero`, of at least zero. */
export const duration =
  ({ zero }: { zero: boolean }): Rule<string> =>
  (value) => {
    const milliseconds = typeof value === "string" ? parseDuration(value) : undefined;
    return milliseconds !== undefined && (milliseconds > 0 || zero)
      ? undefined
      : `must be a duration such as "90s" or "1h30m", ${zero ? "of zero or more" : "above zero"}`;
  };

/** An object whose properties keep their rules. */
export function objectOf<T>(fields: ArgumentFields<T>): Rule<T> {
  const names = Object.keys(fields);
  const rule = (value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `must be an object with ${names.join(", ")}`;
    }
    const properties = new Map<string, Field<unknown>>(Object.entries(fields));
    const values = Object.entries(withoutUnset({ ...value }));
    const missing = names.find((name) => properties.get(name)?.required && !values.some(([key]) => key === name));
    if (missing !== undefined) {
      return `lacks ${missing}`;
    }
    for (const [name, item] of values) {
      const field = properties.get(name);
      const kept = item === unknown ? undefined : field?.rule(item);
      const reason = field === undefined ? "this property does not exist" : kept;
      if (reason !== undefined) {
        return `has a wrong ${name}: ${reason}`;
      }
    }
    return undefined;
  };
  return Object.assign(rule, { members: names });
}
