/** Replaces a text that must not be shown. */
const mask = "[redacted]";

/*
 * Foreign texts are matched here, so the time of each expression must grow no faster than the text: after a failed match, no
 * expression reads the same characters again.
 */
/** Matches all keys of the embedded platform, whoever owns them. */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** Matches only a word that looks like a token: "the Basic plan" is a normal phrase. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** Matches an address and its query. An address without a query is matched as a whole, and kept. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

/**
 * The secret values, such as an admin API key or a gateway's token, in all forms that are removed; the longest first.
 */
let hidden: readonly string[] = [];

/** The keys that are too short for `hidden`, with their expressions. */
const hiddenWords = new Map<string, RegExp>();

/**
 * The lengths of the shortest and of the longest secret value, in characters. A shorter value, or form of a value,
 * could be a part of a word. A longer value is no secret.
 */
const shortestValue = 6;
const longestValue = 16_384;

/**
 * If a given key is more than a token, at most `mostParts` of its parts are hidden. Each of these parts has at least
 * `shortestPart` characters.
 */
const mostParts = 100;
const shortestPart = 8;

/**
 * Removes a value from every later text, also in its encoded forms. A value that is too short or too long to be a
 * secret is not removed.
 */
export function addSecret(value: string): void {
  if (value.length >= shortestValue && value.length <= longestValue && !hidden.includes(value)) {
    hidden = [...new Set([...hidden, ...encodedForms(value)])].toSorted((a, b) => b.length - a.length);
  }
}

/**
 * Removes a given admin API key from every later text, whether the key is good or not. If it is more than a token, such
 * as two lines, its parts are removed, too. A short key is removed only as a whole word.
 */
export function hideKey(text: string): void {
  if (text !== "" && text.length < shortestValue) {
    hiddenWords.set(text, new RegExp(`(?<![\\w-])${text.replace(/[$.*+?^|(){}[\]\\]/g, "\\$&")}(?![\\w-])`, "g"));
  }
  const parts = text.split(/[\s"'`]+/, mostParts).filter((part) => part.length >= shortestPart);
  // The name of the setting, which is in the error, and the name of the header are no secrets.
  for (const part of [text, ...parts.filter((each) => !/DOCS_PLATFORM|^authorization:$/i.test(each))]) {
    addSecret(part);
  }
}

/**
 * Returns the value unchanged, in JSON, in an address (encoded once or twice), in hexadecimal digits, and in Base64:
 * alone or within a text.
 */
function encodedForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const percent = percentEncoded(value);
  const percents = [percent, percent.replace(/%../g, (code) => code.toUpperCase())];
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const forms = [
    ...[value, JSON.stringify(value).slice(1, -1)],
    ...[...percents, ...percents.map(percentEncoded), hex, hex.toUpperCase()],
    ...[...base64, ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))],
  ];
  return forms.filter((form) => form.length >= shortestValue);
}

function percentEncoded(text: string): string {
  const characters = [...Buffer.from(text)].map((byte) => [String.fromCharCode(byte), byte.toString(16)] as const);
  return characters.map(([plain, hex]) => (/[\w.~-]/.test(plain) ? plain : `%${hex.padStart(2, "0")}`)).join("");
}

/**
 * Returns the characters of Base64 that depend only on these bytes, if `before` other bytes (modulo 3) come before
 * them.
 */
function base64Within(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

/**
 * Removes all secrets from a text: admin API keys, authorization values, user info in addresses, and the query of every
 * address, since the query of a presigned link contains its signature.
 */
export function redact(text: string): string {
  const withoutValues = hidden.reduce((rest, form) => rest.replaceAll(form, mask), text);
  return [...hiddenWords.values()]
    .reduce((rest, word) => rest.replace(word, mask), withoutValues)
    .replace(userInfo, `$1${mask}@`)
    .replace(address, (whole, place: string, query?: string) => (query === undefined ? whole : `${place}?${mask}`))
    .replace(signatureParameter, `$1=${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(apiKey, `svc_${mask}`);
}
