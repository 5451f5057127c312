/**
 * Returns true if an input differs from the stored value. An unknown input differs, because it may become any value.
 */
export function differs(stored: unknown, input: unknown): boolean {
  return !sameJson(stored ?? null, input ?? null);
}

/**
 * Compares two JSON values deeply. The order of keys does not matter, and a key with the value undefined counts as
 * missing.
 */
function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  }
  const entries = new Map(Object.entries(left).filter(([, value]) => value !== undefined));
  const others = Object.entries(right).filter(([, value]) => value !== undefined);
  return (
    entries.size === others.length &&
    others.every(([key, value]) => entries.has(key) && sameJson(entries.get(key), value))
  );
}
