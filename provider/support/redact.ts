/** Replaces what must not be shown. */
const mask = "[redacted]";

/*
 * Foreign texts are matched here, so the time of each expression must grow no faster than the text: after a failed match, no
 * expression reads the same characters again.
 */
/** Keys of the embedded platform, whosesoever they are. */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** It matches only what looks like a token: "the Basic plan" is a sentence. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** An address, and its query where it has one. An address without a query is matched as a whole, and kept. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

/** What is secret by its value, such as an admin API key or a gateway's token, in the forms that are removed; the longest first. */
let hidden: readonly string[] = [];

/** Keys that are too short for that. */
const hiddenWords = new Map<string, RegExp>();

/** A shorter value, or form of one, could be a part of a word; a longer one is no secret. Characters. */
const shortestValue = 6;
const longestValue = 16_384;

/** Of what was given as a key and is more than a token, so many parts are hidden, each of at least so many characters. */
const mostParts = 100;
const shortestPart = 8;

/** From now on this value is removed from every text, also in its encoded forms. One that is too short to be a secret is not. */
export function addSecret(value: string): void {
  if (value.length >= shortestValue && value.length <= longestValue && !hidden.includes(value)) {
    hidden = [...new Set([...hidden, ...encodedForms(value)])].toSorted((a, b) => b.length - a.length);
  }
}

/**
 * From now on what was given as the admin API key is removed from every text, be it a good key or not. Where it is more than
 * a token, such as two lines, its parts are removed too. A short key is removed where it stands as a word.
 */
export function hideKey(text: string): void {
  if (text !== "" && text.length < shortestValue) {
    hiddenWords.set(text, new RegExp(`(?<![\\w-])${text.replace(/[$.*+?^|(){}[\]\\]/g, "\\$&")}(?![\\w-])`, "g"));
  }
  const parts = text.split(/[\s"'`]+/, mostParts).filter((part) => part.length >= shortestPart);
  // The name of the setting, which stands in the error, and of the header are no secret.
  for (const part of [text, ...parts.filter((each) => !/DOCS_PLATFORM|^authorization:$/i.test(each))]) {
    addSecret(part);
  }
}

/** The value as it is, in JSON, in an address (once or twice), in hexadecimal digits, and in Base64: alone or within a text. */
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

/** The characters of Base64 that these bytes alone decide, with so many other bytes before them (modulo 3). */
function base64Within(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

/**
 * Removes from a text what must never be printed: admin API keys, authorization values, user info in addresses, and the
 * query of every address, since the query of a presigned link contains its signature.
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
