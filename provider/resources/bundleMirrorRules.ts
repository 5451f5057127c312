import { parseDestination } from "../mirror/stores/destination";
import { duration, identifier, type Rule, truth } from "./validation";

const destination: Rule = (value) => {
  const parsed = typeof value === "string" ? parseDestination(value) : { problem: "must be an address" };
  return "problem" in parsed ? parsed.problem : undefined;
};

const expectedSha256: Rule = (value) =>
  typeof value === "string" && /^[0-9a-f]{64}$/i.test(value) ? undefined : "must be 64 hexadecimal digits";

const layout: Rule = (value) => (value === "archive" || value === "site" ? undefined : 'must be "archive" or "site"');

const publicUrl: Rule = (value) => {
  if (typeof value !== "string" || !/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return "must be an address such as https://cdn.example.com/docs";
  }
  const { username, password } = new URL(value);
  return username || password || /[?#]/.test(value)
    ? "must hold no credentials, no query and no fragment: it is the stable address of the destination"
    : undefined;
};

const maxBytes: Rule = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0
    ? undefined
    : "must be a whole number of bytes, above zero";

/** What a mirror's inputs are held to, before anything is sent. */
export const bundleMirrorRules = {
  jobId: identifier,
  destination,
  expectedSha256,
  layout,
  publicUrl,
  allowExisting: truth,
  maxBytes,
  waitTimeout: duration({ zero: false }),
};
