/** Stands in for whatever must not be shown. */
const mask = "[redacted]";

const apiKey = /svc_[^\s"'<>&,;:)[\]}\\]+/g;
/** Only what looks like a token: "the Basic plan" is a sentence. */
const bearer = /\b(bearer|basic)\s+(?=\S*[\d_+/=~])[^\s"',;]+/gi;
const userInfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s"'<>?#]+@/gi;
const query = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>?#]+)\?[^\s"'<>]*/gi;
const signatureParameter =
  /\b(x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|signature|sig|awsaccesskeyid|googleaccessid|key-pair-id|policy|token|access_token|se|sp|sv|sr|skoid|sktid)=[^&\s"'<>]+/gi;

/**
 * Takes out of a text what must never be printed: admin API keys, authorization values, user info in addresses,
 * and the query of every address, since that is where a presigned link carries its signature.
 */
export function redact(text: string): string {
  return text
    .replace(userInfo, `$1${mask}@`)
    .replace(query, `$1?${mask}`)
    .replace(signatureParameter, `$1=${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(apiKey, `svc_${mask}`);
}
