import { parseTimestamp } from "./timestamp";

/** No link lives longer than a century; seconds. */
const longestLife = 100 * 365 * 86_400;

/**
 * When the signature of a presigned link expires, where its query shows it: as a start and a number of seconds in the two
 * common forms, or as a time. A link expires at this time or at `expiresAt`, whichever is first.
 * @returns milliseconds since the epoch, or undefined.
 */
export function signatureEnd(link: string): number | undefined {
  const query = new Map([...new URL(link).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  for (const prefix of ["x-amz", "x-goog"]) {
    const start = parseTimestamp(query.get(`${prefix}-date`));
    const seconds = Number(query.get(`${prefix}-expires`));
    if (start !== undefined && seconds > 0 && seconds <= longestLife) {
      return start + seconds * 1_000;
    }
  }
  return parseTimestamp(query.get("se") ?? query.get("expires"));
}
