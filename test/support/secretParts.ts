import { createHash } from "node:crypto";
import fc from "fast-check";

/** No output may contain so many consecutive characters of a secret. */
const partLength = 8;

/** Each text lists some of the characters that a bearer token may contain (RFC 6750, 2.1). */
const alphabets = ["0123456789abcdef", "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz", "aB3-._~+/"];

/** Generates a secret that does not resemble any other text. */
export const arbitrarySecret = fc
  .tuple(
    fc.nat(),
    fc.constantFrom(...alphabets),
    fc.integer({ min: partLength, max: 64 }),
    fc.constantFrom("", "svc_", "="),
  )
  .map(([seed, alphabet, length, more]) => {
    const bytes = createHash("shake256", { outputLength: length }).update(`${seed} ${alphabet}`).digest();
    const text = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join("");
    return more === "=" ? `${text}=` : more + text;
  });

const each = (text: string, encode: (code: string) => string) =>
  [...Buffer.from(text)].map((byte) => encode(byte.toString(16).padStart(2, "0"))).join("");
const base64 = (before: string, text: string) => Buffer.from(`${before}${text}!`).toString("base64");

export const encodings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  "in lower case": (text) => text.toLowerCase(),
  "in upper case": (text) => text.toUpperCase(),
  "in an address": encodeURIComponent,
  "in an address twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "each character in an address": (text) => each(text, (code) => `%${code}`),
  "each character in JSON": (text) => each(text, (code) => `\\u00${code}`),
  "JSON with slashes": (text) => text.replaceAll("/", "\\/"),
  hex: (text) => each(text, (code) => code),
  "upper hex": (text) => each(text, (code) => code.toUpperCase()),
  base64: (text) => base64("", text),
  "base64 after one byte": (text) => base64("a", text),
  "base64 after two bytes": (text) => base64("ab", text),
  "base64 for addresses": (text) => base64("a", text).replaceAll("+", "-").replaceAll("/", "_"),
};

/** Returns the parts of a secret that are in the output in any encoding. Each part has `partLength` characters. */
export function shownParts(of: string, output: string): string[] {
  const decoded = output
    .replace(/%(?:25)*([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\", "");
  const shown = `${output}\n${decoded}`.toLowerCase();
  const parts = Array.from({ length: of.length - partLength + 1 }, (_, at) => of.slice(at, at + partLength));
  return parts.filter((part) => [part, ...encodedForms(part)].some((form) => shown.includes(form.toLowerCase())));
}

function encodedForms(part: string): string[] {
  const inner = [0, 1, 2].map((before) => {
    const text = Buffer.from("\0".repeat(before) + part).toString("base64");
    return text.slice([0, 2, 3][before], Math.floor(((before + part.length) * 8) / 6));
  });
  return [
    Buffer.from(part).toString("hex"),
    ...inner,
    ...inner.map((form) => form.replace(/\+/g, "-").replace(/\//g, "_")),
  ];
}

/** The lengths are close to those at which the provider cuts texts, so some cuts fall into the secret. */
export const arbitraryEcho = fc
  .record({
    encoding: fc.constantFrom(...Object.keys(encodings)),
    before: fc.constantFrom(0, 1, 70, 285, 299, 480, 499, 985, 3_990, 7_990),
    more: fc.integer({ min: 0, max: 15 }),
    filler: fc.constantFrom("word ", "x", "https://a.test/?q=1 ", `https://a.test/?${"q".repeat(400)} `, "\u001b[1m"),
    after: fc.constantFrom("", " ", '" and more', "&c=1", "x".repeat(450)),
    cut: fc.record({ begin: fc.constantFrom(0, 0, 0, 1, 3, 9, 20), end: fc.constantFrom(0, 0, 0, 1, 5, 12) }),
  })
  .map((drawn) => ({ ...drawn, text: (of: string) => echoText(of, drawn) }));

function echoText(
  of: string,
  {
    encoding,
    before,
    more,
    filler,
    after,
    cut,
  }: Record<"encoding" | "filler" | "after", string> & {
    before: number;
    more: number;
    cut: { begin: number; end: number };
  },
): string {
  const echoed = encodings[encoding]?.(of) ?? "";
  const lead = filler.repeat(Math.ceil((before + more) / filler.length)).slice(0, before + more);
  if (cut.begin > 0) {
    return echoed.slice(cut.begin) + after;
  }
  return cut.end > 0 ? lead + echoed.slice(0, -cut.end) : lead + echoed + after;
}
