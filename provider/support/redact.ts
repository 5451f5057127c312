/** Replaces what must not be shown. */
const mask = "[redacted]";

/*
 * Foreign texts are matched here, so the time of each expression must grow no faster than the text: after a failed match, no
 * expression reads the same characters again.
 */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** It matches only what looks like a token: "the Basic plan" is a sentence. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** An address, and its query where it has one. An address without a query is matched as a whole, and kept. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

/** Values that are secret and have no form of their own, such as a gateway's token; the longest first. */
let hidden: readonly string[] = [];

/** From now on this value is taken out of every text; one that is too short to be a secret would take out words. */
export function hide(value: string): void {
  if (value.length >= 6 && !hidden.includes(value)) {
    hidden = [...hidden, value].toSorted((a, b) => b.length - a.length);
  }
}

/**
 * Removes from a text what must never be printed: admin API keys, authorization values, user info in addresses, and the
 * query of every address, since the query of a presigned link contains its signature.
 */
export function redact(text: string): string {
  return hidden
    .reduce((rest, value) => rest.replaceAll(value, mask), text)
    .replace(userInfo, `$1${mask}@`)
    .replace(address, (whole, place: string, query?: string) => (query === undefined ? whole : `${place}?${mask}`))
    .replace(signatureParameter, `$1=${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(apiKey, `svc_${mask}`);
}
