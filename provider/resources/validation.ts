import { parseDuration } from "../support/duration";
import { identifierProblem } from "../support/identifier";
import { type CheckFailure, type RawInputs, unknown } from "./lifecycle";

/** Why a value is refused, or undefined where it is good. */
export type Rule = (value: unknown) => string | undefined;

/**
 * Checks every input by its rule, one failure a property at most. A value that is not known yet passes; null counts as
 * not given.
 * @param owner whose inputs they are, for a person.
 */
export function validate(
  inputs: RawInputs,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[],
  owner = "this resource",
): CheckFailure[] {
  const failures: CheckFailure[] = [];
  for (const [property, rule] of Object.entries(rules)) {
    const value = inputs[property];
    const given = value !== undefined && value !== null;
    const reason = given
      ? value === unknown
        ? undefined
        : rule(value)
      : required.includes(property)
        ? "is required"
        : undefined;
    if (reason !== undefined) {
      failures.push({ property, reason });
    }
  }
  for (const property of Object.keys(inputs)) {
    if (!Object.hasOwn(rules, property)) {
      failures.push({
        property,
        reason: `is not an argument of ${owner}; it has ${Object.keys(rules).join(", ")}`,
      });
    }
  }
  return failures;
}

/** Inputs without those that are not given. */
export function given(inputs: RawInputs): RawInputs {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined && value !== null));
}

/** Inputs without the version that `check` has filled in from `jobId`: the engine hands it back where changes are ignored. */
export function withoutFilled({ version, ...others }: RawInputs): RawInputs {
  return (version ?? others.jobId) === others.jobId ? others : { ...others, version };
}

const label = /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)$/u;

/** A bare host name, as "domain of the deployment to export (a host name)" in the API text. */
export const hostName: Rule = (value) => {
  if (typeof value !== "string") {
    return "must be a host name such as docs.example.com";
  }
  const fault =
    (value.trim() === "" && "is blank") ||
    (/\s/.test(value) && "holds a blank") ||
    (/:\/\//.test(value) && "holds a scheme") ||
    (/[/?#\\]/.test(value) && "holds a path") ||
    (/@/.test(value) && "holds a user name") ||
    (/:/.test(value) && "holds a port") ||
    ((value.length > 253 || !value.split(".").every((part) => label.test(part))) && "is not a host name");
  return fault ? `${fault}: give the bare host name, such as docs.example.com` : undefined;
};

export const identifier: Rule = (value) =>
  typeof value === "string" ? identifierProblem(value) : "must be an id, as the platform told it";

export const text: Rule = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "must be a text, not blank";

export const truth: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

export const anything: Rule = () => undefined;

/** A Go duration above zero, or, with `zero`, of at least zero. */
export const duration =
  ({ zero }: { zero: boolean }): Rule =>
  (value) => {
    const milliseconds = typeof value === "string" ? parseDuration(value) : undefined;
    return milliseconds !== undefined && (milliseconds > 0 || zero)
      ? undefined
      : `must be a duration such as "90s" or "1h30m", ${zero ? "of zero or more" : "above zero"}`;
  };
