import { jsonObject } from "../support/jsonObject";
import { parseTimestamp } from "./parseTimestamp";

/** The longest life of a link, in seconds: a century. A longer life is ignored. */
const longestLife = 100 * 365 * 86_400;

/** The end of the year 9999, in milliseconds since the epoch. A later end is ignored. */
const latestEnd = 253_402_300_799_000;

/**
 * Returns the time at which the signature of a presigned link expires, in milliseconds since the epoch; undefined if
 * the link's query does not show it.
 */
export function parseSignatureExpiry(link: string): number | undefined {
  const query = new Map([...new URL(link).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  for (const prefix of ["x-amz", "x-goog"]) {
    const start = parseTimestamp(query.get(`${prefix}-date`));
    const seconds = Number(query.get(`${prefix}-expires`));
    if (start !== undefined && seconds > 0 && seconds <= longestLife) {
      return start + seconds * 1_000;
    }
  }
  return policyEnd(query.get("policy")) ?? parseTimestamp(query.get("se") ?? query.get("expires"));
}

/**
 * Decodes the end time in a CloudFront policy. The policy is in a form of Base64 that avoids the characters with a
 * meaning in an address.
 */
function policyEnd(policy = ""): number | undefined {
  const base64 = policy.replaceAll("-", "+").replaceAll("_", "=").replaceAll("~", "/");
  const { Statement } = jsonObject(Buffer.from(base64, "base64").toString("utf8")) ?? {};
  const ends = [Statement].flat().map((one) => Number(Object(one).Condition?.DateLessThan?.["AWS:EpochTime"]) * 1_000);
  const known = ends.filter((end) => end > 0 && end <= latestEnd);
  return known.length > 0 ? Math.min(...known) : undefined;
}
