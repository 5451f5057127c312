import { sign } from "node:crypto";
import type { ImageSigningKey } from "../../settings/signingKey";
import { canonicalJson } from "../../support/canonicalJson";
import { isValidSignature } from "./sigstoreBundle";

/** The first line of the signed text distinguishes it from every other kind of signed text. */
const kind = "pulumi-docs-platform mirror record v1\n";

interface Signable {
  seals?: unknown;
  signature?: string | undefined;
}

/**
 * Everyone who can write the state can make a valid seal. The signing key is not in the state, so only the signature
 * proves that this mirror has published the image.
 */
export function signRecord<T extends object>(
  record: T,
  key: ImageSigningKey | undefined,
): T & Pick<Signable, "signature"> {
  return key === undefined
    ? record
    : { ...record, signature: sign("sha256", textOf(record), key.privateKey).toString("base64") };
}

export function hasValidSignature(record: Signable, { publicKey }: ImageSigningKey): boolean {
  return isValidSignature(textOf(record), record.signature ?? "", publicKey);
}

function textOf({ seals: _, signature: __, ...facts }: Signable & object): Buffer {
  return Buffer.from(`${kind}${canonicalJson(facts)}`);
}
