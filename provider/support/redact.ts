/** Stands in for whatever must not be shown. */
const mask = "[redacted]";

/*
 * Foreign texts pass here, so that each of these takes a time that grows with the text and no faster: what one of them has
 * looked at in vain is not looked at again from its next character on.
 */
const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** Only what looks like a token: "the Basic plan" is a sentence. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(:\/\/)[^/\s"'<>?#]+@/g;
/** An address, and its query where it has one: without a query it is passed over as a whole. */
const address = /(:\/\/[^\s"'<>?#]*)(\?[^\s"'<>]*)?/g;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

/**
 * Takes out of a text what must never be printed: admin API keys, authorization values, user info in addresses,
 * and the query of every address, since that is where a presigned link carries its signature.
 */
export function redact(text: string): string {
  return text
    .replace(userInfo, `$1${mask}@`)
    .replace(address, (whole, place: string, query?: string) => (query === undefined ? whole : `${place}?${mask}`))
    .replace(signatureParameter, `$1=${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(apiKey, `svc_${mask}`);
}
