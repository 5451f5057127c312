import { sameJson } from "../support/json";
import { unknown } from "./lifecycle";

/** Whether an input differs from the value that the state holds. What is not known yet counts as unchanged. */
export function differs(stored: unknown, input: unknown): boolean {
  return !holdsUnknown(input) && !sameJson(stored ?? null, input ?? null);
}

function holdsUnknown(value: unknown): boolean {
  if (value === unknown) {
    return true;
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
