import { createPublicKey, sign, verify } from "node:crypto";
import { z } from "zod";
import { type ImageSigningKey, publicKeyFingerprint } from "../../settings/signingKey";
import { parseJsonObject } from "../../support/parseJsonObject";

/** The media type of a sigstore bundle, version 0.3, which cosign 3 and Kyverno read. */
export const sigstoreBundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";

const payloadType = "application/vnd.in-toto+json";

/** It proves nothing before its signature is verified. */
export interface InTotoStatement {
  predicateType: string;
  predicate: Readonly<Record<string, unknown>>;
}

export const cosignSignaturePredicate: InTotoStatement = {
  predicateType: "https://sigstore.dev/cosign/sign/v1",
  predicate: {},
};

export function signStatement(
  digest: string,
  { predicateType, predicate }: InTotoStatement,
  key: ImageSigningKey,
): object {
  const subject = [{ digest: { sha256: hexOf(digest) } }];
  const payload = JSON.stringify({ _type: "https://in-toto.io/Statement/v1", subject, predicateType, predicate });
  const sig = sign("sha256", signedBytes(payload), key.privateKey).toString("base64");
  return {
    mediaType: sigstoreBundleType,
    verificationMaterial: { publicKey: { hint: publicKeyFingerprint(key.publicKey) } },
    dsseEnvelope: { payload: Buffer.from(payload).toString("base64"), payloadType, signatures: [{ sig }] },
  };
}

const bundleSchema = z.object({
  dsseEnvelope: z.object({
    payload: z.string(),
    payloadType: z.literal(payloadType),
    signatures: z.array(z.object({ sig: z.string() })).length(1),
  }),
});
const statementSchema = z.object({
  subject: z.array(z.object({ digest: z.object({ sha256: z.string() }) })).length(1),
  predicateType: z.string(),
  predicate: z.record(z.string(), z.unknown()),
});

export function readVerifiedStatement(bundle: Buffer, digest: string, publicKey: string): InTotoStatement | undefined {
  const { data: { dsseEnvelope } = {} } = bundleSchema.safeParse(parseJsonObject(bundle.toString("utf8")));
  const payload = Buffer.from(dsseEnvelope?.payload ?? "", "base64").toString("utf8");
  const { data } = statementSchema.safeParse(parseJsonObject(payload));
  const isAbout = data?.subject[0]?.digest.sha256 === hexOf(digest);
  const signature = dsseEnvelope?.signatures[0]?.sig ?? "";
  return isAbout && isValidSignature(signedBytes(payload), signature, publicKey) ? data : undefined;
}

/** @param signature in Base64. */
export function isValidSignature(bytes: Buffer, signature: string, publicKey: string): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  return verify("sha256", bytes, key, Buffer.from(signature, "base64"));
}

/** Returns the bytes that are signed according to the DSSE specification. */
function signedBytes(payload: string): Buffer {
  return Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${Buffer.byteLength(payload)} ${payload}`);
}

function hexOf(digest: string): string {
  return digest.replace("sha256:", "");
}
