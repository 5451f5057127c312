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
    const start = compactTime(query.get(`${prefix}-date`));
    const seconds = Number(query.get(`${prefix}-expires`));
    if (start !== undefined && seconds > 0 && seconds <= longestLife) {
      return start + seconds * 1_000;
    }
  }
  return parseTimestamp(query.get("se") ?? query.get("expires"));
}

/** The basic form of ISO 8601, `20260131T235959Z`. */
function compactTime(text: string | undefined): number | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text ?? "");
  return parts ? parseTimestamp(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`) : undefined;
}
