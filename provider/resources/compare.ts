import { sameJson } from "../support/json";
import { unknown } from "./lifecycle";

/** Whether an input differs from the value that the state holds. What is not known yet may be anything: it differs. */
export function differs(stored: unknown, input: unknown): boolean {
  return !sameJson(stored ?? null, input ?? null);
}

/** Which of these inputs differ from the values that the state holds. */
export function changed<Name extends string>(
  state: { readonly [name in Name]?: unknown },
  inputs: { readonly [name in Name]?: unknown },
  names: readonly Name[],
): Name[] {
  return names.filter((name) => differs(state[name], inputs[name]));
}

/** Which of these inputs are not known yet, or hold something that is not. */
export function notKnown<Name extends string>(
  inputs: { readonly [name in Name]?: unknown },
  names: readonly Name[],
): Name[] {
  return names.filter((name) => holdsUnknown(inputs[name]));
}

/** Whether a value is not known yet, or a part of it. */
export function holdsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
