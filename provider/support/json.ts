/**
 * A copy that the engine's wire format can encode. Where a value cannot be encoded, the host throws after our method has
 * returned, and the job that it started would be lost.
 */
export function toJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** Deep equality of JSON values. The order of an object's keys does not matter, and an undefined key counts as missing. */
export function sameJson(left: unknown, right: unknown): boolean {
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
