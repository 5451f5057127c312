import { createPrivateKey, createPublicKey, hash, type KeyObject } from "node:crypto";
import { registerKeyAndParts } from "../support/redact";

export interface ImageSigningKey {
  privateKey: KeyObject;
  /** The public key: SPKI DER in Base64. */
  publicKey: string;
}

const howToMake =
  "make one with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out signing.pem`, which `cosign import-key-pair --key signing.pem` also accepts";

/** A problem's text begins with a verb ("is not …"), and contains no part of the key. */
export function parseSigningKey(text: string): ImageSigningKey | { problem: string } {
  // The first and the last line of a PEM text are not registered, because they are the same for all keys.
  registerKeyAndParts(text.replace(/^-----.*$/gm, ""));
  if (/BEGIN ENCRYPTED (SIGSTORE|COSIGN) PRIVATE KEY/.test(text)) {
    return { problem: `is a key in cosign's own format, which only cosign can read: ${howToMake}` };
  }
  if (/BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type:.*ENCRYPTED/m.test(text)) {
    return {
      problem:
        "is an encrypted key: let signingKeyCommand print it decrypted, as with `openssl pkey -in signing.pem -passin env:PASSWORD`",
    };
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(text);
  } catch {
    return { problem: `is no private key in PEM format: ${howToMake}` };
  }
  if (privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    return { problem: `is not an ECDSA key on the curve P-256: ${howToMake}` };
  }
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
  return { privateKey, publicKey };
}

/** Returns the sha256 of the key's SPKI DER, in Base64. */
export function publicKeyFingerprint(publicKey: string): string {
  return hash("sha256", Buffer.from(publicKey, "base64"), "base64");
}
