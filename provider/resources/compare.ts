import { unknown } from "../definitions/values";
import { sameJson } from "../support/json";

/** Whether an input differs from the value that the state holds. What is not known yet may be anything: it differs. */
export function differs(stored: unknown, input: unknown): boolean {
  return !sameJson(stored ?? null, input ?? null);
}

/** Whether a value is not known yet, or a part of it. */
export function holdsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
