/** A value that is not known yet may be anything, so it differs. */
export function differs(stored: unknown, input: unknown): boolean {
  return !sameJson(stored ?? null, input ?? null);
}

/** Compares JSON values deeply, without the order of keys. A key with the value undefined counts as missing. */
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
