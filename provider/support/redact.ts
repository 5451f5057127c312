const mask = "[redacted]";

/** Every expression in this file runs in linear time. */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** The next word must look like a token, because "the Basic plan" is a normal phrase. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
/** The query of an address in our own help, such as `?region=…`. */
const help = /^\?[a-z]+=…(?:&[a-z]+=…)*[`.,;:)]*$/i;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

const partLength = 8;

/** In characters. Only the beginning of a longer secret is hidden. No server accepts a longer header or address. */
const longestSecret = 16_384;

/** A shorter value could be a normal word. A value shorter than `partLength` is hidden only as a whole word. */
const shortestValue = 6;

/**
 * These parts are never hidden. A wait compares the words "completed" and "archived", and a key may contain these words.
 * "redacted" is the word in the mask.
 */
const publicParts = ["redacted", "complete", "ompleted", "archived"];

const parts = new Set<string>();

/** The parts of links and tokens. A run may receive any number of links and tokens, so the oldest parts are removed. */
let newer = new Set<string>();
let older = new Set<string>();
const mostPassing = 200_000;

/** The secrets that are too short for `parts`. */
const hiddenWords = new Map<string, RegExp>();

/**
 * Hides a value in every later text, also in its encoded forms. Each part of the value with at least `partLength`
 * characters is hidden, too.
 */
export function registerSecret(value: string): void {
  if (value.length >= shortestValue) {
    hide(value, parts);
  }
}

/** Hides the signature and the tokens of an address in later texts. */
export function registerLinkSecrets({ search }: Pick<URL, "search">): void {
  for (const [, value = ""] of search.matchAll(secretParameter)) {
    registerToken(value);
    registerToken(decode(value).text);
  }
}

export function registerToken(value: string): void {
  if (newer.size > mostPassing) {
    older = newer;
    newer = new Set();
  }
  if (value.length >= partLength) {
    hide(value, newer);
  }
}

/** For tests: many test files share a process, and a test's secrets are often ordinary words. */
export function forgetSecrets(): void {
  for (const known of [parts, newer, older, hiddenWords]) {
    known.clear();
  }
}

const secretParameter = /[?&][\w.-]*(?:sig|signature|token|policy|secret|password|accesskeyid)=([^&]+)/gi;

/**
 * Hides a key in every later text, even if the key is wrong. If the text is more than a token, for example two lines,
 * its parts are hidden, too.
 */
export function registerKeyAndParts(text: string): void {
  // A user may give a whole line, such as `DOCS_PLATFORM_API_KEY=…`. Errors must still show the setting's name, so only
  // the text beside the name is hidden.
  const pieces = text.slice(0, longestSecret).split(/DOCS_PLATFORM_[A-Z_]+\s*=|authorization:/i);
  const isFile = /[\r\n]/.test(text.trim());
  for (const piece of isFile ? pieces.flatMap((lines) => lines.split(/\s+/)) : pieces) {
    if (piece === text || piece.trim().length >= partLength) {
      hide(piece.trim(), parts);
    }
  }
}

function hide(value: string, into: Set<string>): void {
  if (value !== "" && value.length < partLength) {
    hiddenWords.set(value, new RegExp(`(?<![\\w-])${value.replace(/[$.*+?^|(){}[\]\\]/g, "\\$&")}(?![\\w-])`, "g"));
  }
  const note = `the secret ${value}`;
  if (into.has(note)) {
    return;
  }
  into.add(note);
  for (const form of encodedForms(value.slice(0, longestSecret))) {
    for (let at = 0; at + partLength <= form.length; at++) {
      const part = form.slice(at, at + partLength);
      if (!publicParts.includes(part)) {
        into.add(part);
      }
    }
  }
}

/**
 * Returns the forms of a value that a text may contain: decoded, hexadecimal, and Base64 (also within a longer
 * content). All forms are in lower case.
 */
function encodedForms(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((before) => [
    base64Within(bytes, before, "base64"),
    base64Within(bytes, before, "base64url"),
  ]);
  const decoded = [value, bytes.toString("latin1")].map((form) => decode(form).text);
  const forms = [...decoded, bytes.toString("hex"), ...base64];
  return new Set(forms.map(lowerCase));
}

/**
 * Encodes bytes as a part of a longer content. `before` is the number of bytes in front of them. Returns only the
 * characters that do not depend on the rest of the content.
 */
function base64Within(bytes: Buffer, before: number, form: "base64" | "base64url"): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString(form).slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Matches an encoded character of an address or of JSON, or a run of blanks and invisible characters. A character of an
 * address may be encoded several times.
 */
const encoded = /%(?:25)*([0-9a-f]{2})|\\+u([0-9a-f]{4})|\\+|[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/giu;

/**
 * `places` contains the position of each decoded character in the given text, and at the end the given text's length.
 */
function decode(given: string): { text: string; places: number[] } {
  const places: number[] = [];
  let text = "";
  let end = 0;
  const take = (until: number) => {
    text += given.slice(end, until);
    for (; end < until; end++) {
      places.push(end);
    }
  };
  for (const { 0: whole, 1: byte, 2: unit, index } of given.matchAll(encoded)) {
    take(index);
    const code = byte ?? unit;
    if (code !== undefined || !whole.startsWith("\\")) {
      text += code === undefined ? " " : String.fromCharCode(Number.parseInt(code, 16));
      places.push(index);
    }
    end = index + whole.length;
  }
  take(given.length);
  return { text, places: [...places, given.length] };
}

export function textContainsSecret(text: string): boolean {
  return withoutParts(text) !== text;
}

/** Fragments of secrets may stay visible. Each fragment has fewer than `partLength` characters. */
function withoutParts(given: string): string {
  const { text, places } = decode(given);
  const found = lowerCase(text);
  let shown = "";
  let end = 0;
  for (let at = 0; at + partLength <= found.length; at++) {
    const part = found.slice(at, at + partLength);
    if (parts.has(part) || newer.has(part) || older.has(part)) {
      const begin = places[at] ?? 0;
      shown += begin > end || shown === "" ? given.slice(end, begin) + mask : "";
      end = places[at + partLength] ?? given.length;
    }
  }
  return shown + given.slice(end);
}

/**
 * Removes all secrets: keys, authorization values, user info in addresses, and the query of every address. No piece of
 * a known secret with at least `partLength` characters remains, even if it was cut or encoded.
 */
export function redact(text: string): string {
  // These patterns look for words such as `Bearer`. The mask of a known secret may hide a part of such a word. So the
  // known secrets are replaced last.
  const rest = text
    .replace(userInfo, `$1${mask}@`)
    .replace(address, (whole, place: string, query = "") =>
      query === "" || help.test(query) ? whole : `${place}?${mask}`,
    )
    .replace(signatureParameter, `$1=${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(apiKey, `svc_${mask}`);
  return withoutParts([...hiddenWords.values()].reduce((shown, word) => shown.replace(word, mask), rest));
}
