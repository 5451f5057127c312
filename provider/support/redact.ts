const mask = "[redacted]";

/** All expressions work in linear time: after a failed match, none reads the same characters again. */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** Matches only a word that looks like a token: "the Basic plan" is a normal phrase. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** Matches an address and its query. An address without a query is matched as a whole, and kept. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
/** The query of an address in our own help, such as `?region=…`. No real value is a single ellipsis. */
const help = /^\?[a-z]+=…(?:&[a-z]+=…)*[`.,;:)]*$/i;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

const partLength = 8;

/** A longer secret is hidden up to this length. No server accepts a longer header or address. */
const longestSecret = 16_384;

/** A shorter secret could be a part of a word. So only a key of that length is hidden, and only as a whole word. */
const shortestValue = 6;

/**
 * The mask, and the status words that a wait compares. Without this list, a key that contains one of these words would
 * hide the status of a job.
 */
const publicParts = ["redacted", "complete", "ompleted", "archived"];

const parts = new Set<string>();

/** The parts of links and tokens. A run may see any number of them, so the oldest are forgotten. */
let newer = new Set<string>();
let older = new Set<string>();
const mostPassing = 200_000;

/** The secrets that are too short for `parts`, with their expressions. */
const hiddenWords = new Map<string, RegExp>();

/**
 * Removes a value from every later text, also in its encoded forms. Also removes each part of the value that has at
 * least `partLength` characters.
 */
export function registerSecret(value: string): void {
  if (value.length >= shortestValue) {
    hide(value, parts);
  }
}

/** Removes the signature and the tokens of a presigned link, or of another address, from later texts. */
export function registerLink({ search }: Pick<URL, "search">): void {
  for (const [, value = ""] of search.matchAll(secretParameter)) {
    addToken(value);
    addToken(decode(value).text);
  }
}

export function addToken(value: string): void {
  if (newer.size > mostPassing) {
    older = newer;
    newer = new Set();
  }
  if (value.length >= partLength) {
    hide(value, newer);
  }
}

/** Forgets all secrets. Many test files share a process, and their secrets are ordinary words. */
export function forgetSecrets(): void {
  for (const known of [parts, newer, older, hiddenWords]) {
    known.clear();
  }
}

const secretParameter = /[?&][\w.-]*(?:sig|signature|token|policy|secret|password|accesskeyid)=([^&]+)/gi;

/**
 * Removes a given admin API key from every later text, even if the key is wrong. If it is more than a token, such as
 * two lines, its parts are removed, too. A short key is removed only as a whole word.
 */
export function registerKey(text: string): void {
  // The name of the setting, which is in the error, and the name of the header are no secrets.
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

/** Returns the forms of a value, in lower case: hexadecimal, Base64 (also within a text), and decoded. */
function encodedForms(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const decoded = [value, bytes.toString("latin1")].map((form) => decode(form).text);
  const forms = [...decoded, bytes.toString("hex"), ...base64, ...base64.map(forAddresses)];
  return new Set(forms.map(lowerCase));
}

function forAddresses(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

/** The Base64 characters that depend only on these bytes, after `before` other bytes (modulo 3). */
function base64Within(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A character that is encoded as in an address (once or more often) or in JSON, and blanks that a line shows as one. */
const encoded = /%(?:25)*([0-9a-f]{2})|\\+u([0-9a-f]{4})|\\+|[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/giu;

/** Decodes each encoded character. @returns also the place in the given text of each character, and of the end. */
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

export function containsSecret(text: string): boolean {
  return withoutParts(text) !== text;
}

/** Masks each character of each part. If a secret was cut off, the remaining text is too short to be a part. */
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
 * Removes all secrets from a text: admin API keys, authorization values, user info in addresses, and the query of every
 * address, since the query of a presigned link contains its signature. No part of a known secret remains, whatever a
 * sender has cut off or encoded.
 */
export function redact(text: string): string {
  // A word that marks a secret, such as `Bearer`, may contain a part of a known secret. So these patterns come first.
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
