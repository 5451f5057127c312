import { containsUnknown } from "../definitions/values";
import { canonicalJson } from "../support/canonicalJson";

/** Compares as JSON. A missing value equals null. An unknown input differs, because it may become any value. */
export function differsFromStored(stored: unknown, input: unknown): boolean {
  const isEqual = () => canonicalJson(stored ?? null) === canonicalJson(input ?? null);
  return stored !== input && (containsUnknown([stored, input]) || !isEqual());
}
