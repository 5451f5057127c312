import { createPublicKey, sign, verify } from "node:crypto";
import type { SigningKey } from "../../settings/signingKey";
import { canonicalJson } from "../../support/canonicalJson";

/** Begins the text that is signed, so that it can be no text of another kind. */
const kind = "pulumi-docs-platform mirror record v1\n";

interface Signable {
  seals?: unknown;
  signature?: string | undefined;
}

/**
 * Adds a signature to a record. Only the key proves that this mirror has published the image: whoever may write the state may
 * write another secret into it, and seal a record with that.
 */
export function withSignature<T extends object>(
  record: T,
  key: SigningKey | undefined,
): T & Pick<Signable, "signature"> {
  return key === undefined
    ? record
    : { ...record, signature: sign("sha256", textOf(record), key.privateKey).toString("base64") };
}

export function hasSignature(record: Signable, { publicKey }: SigningKey): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  return verify("sha256", textOf(record), key, Buffer.from(record.signature ?? "", "base64"));
}

function textOf({ seals: _, signature: __, ...facts }: Signable & object): Buffer {
  return Buffer.from(`${kind}${canonicalJson(facts)}`);
}
