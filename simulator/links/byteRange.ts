/** The positions of the first and the last byte of a part. Both bytes belong to the part. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Returns undefined if the whole body must be sent: the header is missing, malformed, or has several ranges. */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) {
    return undefined;
  }
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < first) {
    return undefined;
  }
  return first >= size ? "unsatisfiable" : { first, last };
}
