import { parseJsonObject } from "../support/parseJsonObject";
import { parseTimestamp } from "./parseTimestamp";

/**
 * Returns the time at which the signature of a presigned link expires, in milliseconds since the epoch; undefined if
 * the link's query does not show it.
 */
export function parseSignatureExpiry(link: string): number | undefined {
  const query = new Map([...new URL(link).searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  for (const prefix of ["x-amz", "x-goog"]) {
    const start = parseTimestamp(query.get(`${prefix}-date`));
    const seconds = Number(query.get(`${prefix}-expires`));
    if (start !== undefined && seconds > 0) {
      return parseTimestamp(start + seconds * 1_000);
    }
  }
  return policyEnd(query.get("policy")) ?? parseTimestamp(query.get("se") ?? query.get("expires"));
}

/** A CloudFront policy is Base64, but three characters that have a meaning in an address are replaced by others. */
function policyEnd(policy = ""): number | undefined {
  const base64 = policy.replaceAll("-", "+").replaceAll("_", "=").replaceAll("~", "/");
  const { Statement } = parseJsonObject(Buffer.from(base64, "base64").toString("utf8")) ?? {};
  const ends = [Statement].flat().map((one) => parseTimestamp(Object(one).Condition?.DateLessThan?.["AWS:EpochTime"]));
  const known = ends.filter((end) => end !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
