const mask = "[redacted]";

/**
 * All expressions of this file run in linear time, because after a failed match none of them reads the same characters
 * again.
 */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** Matches a scheme only if the next word looks like a token, because "the Basic plan" is a normal phrase. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** Matches an address and its query. An address without a query is also matched, and stays unchanged. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
/** Matches the query of an address in our own help, such as `?region=…`. No real value is a single ellipsis. */
const help = /^\?[a-z]+=…(?:&[a-z]+=…)*[`.,;:)]*$/i;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

const partLength = 8;

/**
 * If a secret is longer than this number of characters, only its beginning is hidden. That is enough, because no server
 * accepts a longer header or address, so no server accepts a longer secret.
 */
const longestSecret = 16_384;

/**
 * The length of the shortest value that {@link registerSecret} hides. A shorter value could be a normal word. A value
 * that is shorter than `partLength` is hidden only as a whole word.
 */
const shortestValue = 6;

/**
 * These texts are never hidden: the word in the mask, and parts of the status words that a wait compares. If they could
 * be hidden, a key that contains such a status word would hide the status of a job.
 */
const publicParts = ["redacted", "complete", "ompleted", "archived"];

const parts = new Set<string>();

/**
 * The parts of secret values in links and tokens. A run may receive any number of links and tokens. So the oldest parts
 * are removed, to limit the memory.
 */
let newer = new Set<string>();
let older = new Set<string>();
const mostPassing = 200_000;

/** The secrets that are too short for `parts`, each with the expression that finds it. */
const hiddenWords = new Map<string, RegExp>();

/**
 * Hides a value in every later text, also in its encoded forms. Each part of the value with at least `partLength`
 * characters is hidden, too. A value that is shorter than `shortestValue` is not hidden.
 */
export function registerSecret(value: string): void {
  if (value.length >= shortestValue) {
    hide(value, parts);
  }
}

/** Hides the signature and the tokens of a presigned link, or of another address, in later texts. */
export function registerLink({ search }: Pick<URL, "search">): void {
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

/**
 * Removes all secrets from the lists. Tests need it, because many test files share a process. The secrets of a test are
 * often ordinary words, which would be hidden in the texts of later tests.
 */
export function forgetSecrets(): void {
  for (const known of [parts, newer, older, hiddenWords]) {
    known.clear();
  }
}

const secretParameter = /[?&][\w.-]*(?:sig|signature|token|policy|secret|password|accesskeyid)=([^&]+)/gi;

/**
 * Hides an admin API key in every later text, even if the key is wrong. If the text is more than a token, for example
 * two lines, its parts are hidden, too. A short key is hidden only as a whole word.
 */
export function registerKey(text: string): void {
  // A user may give a whole line, such as `DOCS_PLATFORM_API_KEY=…`, instead of the key. The name in the line is not a
  // secret, and an error must still show the setting's name. So only the text beside the name is hidden.
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
 * Returns the forms in which a text may contain a value, in lower case: decoded, hexadecimal, and Base64 (also within a
 * longer content).
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
 * Encodes a text that has these bytes after `before` other bytes, and returns only the Base64 characters that do not
 * depend on other bytes.
 */
function base64Within(bytes: Buffer, before: number, form: "base64" | "base64url"): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString(form).slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Matches a character that is encoded for an address (once or several times) or for JSON. It also matches a run of
 * blanks and invisible characters, which a message shows as one blank.
 */
const encoded = /%(?:25)*([0-9a-f]{2})|\\+u([0-9a-f]{4})|\\+|[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/giu;

/**
 * Decodes each encoded character.
 * @returns the decoded text. `places` contains, for each character of the decoded text, its position in the given text.
 * The last element of `places` is the length of the given text.
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

/** Masks the characters of all parts. A piece of a secret that is too short to be a part may stay visible. */
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
 * address, because the query of a presigned link contains its signature. No piece of a known secret with at least
 * `partLength` characters remains, even if a sender has cut or encoded the secret.
 */
export function redact(text: string): string {
  // These patterns come first, because they look for a word such as `Bearer`. A known secret may be a part of that word.
  // Masking the secret first would change the word, and the pattern would not find it.
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
