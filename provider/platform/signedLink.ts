import { parseTimestamp } from "./timestamp";

/** The longest life of a link, in seconds: a century. A longer life is ignored. */
const longestLife = 100 * 365 * 86_400;

/** Returns when the signature of a presigned link expires, if its query shows it; milliseconds since the epoch. */
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
