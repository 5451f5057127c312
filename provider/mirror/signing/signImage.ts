import { publicKeyFingerprint, type SigningKey } from "../../settings/signingKey";
import { type Descriptor, type ImageStore, putEmptyBlob } from "../../storage/imageStore";
import { type Statement, signatureStatement, sigstoreBundleType } from "./sigstoreBundle";
import { findStatements, isSameStatement, putSignedStatement } from "./statements";

export interface PreviousSigningKey {
  publicKey: string;
  platform: string;
}

export interface WantedAndEarlierKeys {
  /** The key for new signatures. Undefined if the image must have no signature. */
  wanted: SigningKey | undefined;
  /** The earlier signatures of this key are removed, unless the key is also `wanted`. */
  earlier: PreviousSigningKey | undefined;
  platform: string;
}

interface SignedImage {
  store: ImageStore;
  digest: string;
  provenance: Statement;
}

/** Keeps the signatures of other programs. Adds new signatures before it removes old ones. */
export async function signImage(
  image: SignedImage,
  subject: Descriptor,
  { wanted, earlier, platform }: WantedAndEarlierKeys,
  created: string,
  signal: AbortSignal,
): Promise<PreviousSigningKey | undefined> {
  const { store, digest } = image;
  const keys = [...new Set([wanted?.publicKey, earlier?.publicKey])].filter((key) => key !== undefined);
  const found = keys.length > 0 ? await findStatements(store, digest, keys) : [];
  const kept = new Set<string>();
  if (wanted !== undefined) {
    for (const statement of statementsOf(image)) {
      const same = found.find((one) => one.publicKey === wanted.publicKey && isSameStatement(one, statement));
      if (same !== undefined) {
        kept.add(same.digest);
      } else {
        await putSignedStatement(store, subject, statement, wanted, created, signal);
      }
    }
  }
  for (const { digest: old } of found.filter((one) => !kept.has(one.digest))) {
    await store.removeReferrer(digest, old, signal);
  }
  return wanted && { publicKey: wanted.publicKey, platform };
}

/**
 * Removes the signatures of this mirror.
 * @returns true if the registry allows the removal.
 */
export async function unsignImage(
  store: ImageStore,
  digest: string,
  { publicKey }: PreviousSigningKey,
): Promise<boolean> {
  let isAllowed = true;
  for (const { digest: referrer } of await findStatements(store, digest, [publicKey])) {
    isAllowed = (await store.removeReferrer(digest, referrer)) && isAllowed;
  }
  return isAllowed;
}

export async function describeMissingSignature(
  image: SignedImage,
  { publicKey }: PreviousSigningKey,
): Promise<string | undefined> {
  const { store, digest } = image;
  const by = `by the key ${publicKeyFingerprint(publicKey)}`;
  const found = await findStatements(store, digest, [publicKey]);
  for (const statement of statementsOf(image)) {
    if (!found.some((one) => isSameStatement(one, statement))) {
      return statement === signatureStatement
        ? `the image has no signature ${by}`
        : `the image has no statement of its origin ${by}`;
    }
  }
  return undefined;
}

/** Checks, before a transfer, that a registry or an image layout accepts signatures. */
export async function requireSignatureSupport(store: ImageStore, signal: AbortSignal): Promise<void> {
  const config = await putEmptyBlob(store, signal);
  const layer = { ...config, mediaType: sigstoreBundleType };
  await store.requireAccepted?.({ artifactType: sigstoreBundleType, config, layers: [layer] }, signal);
}

function statementsOf({ provenance }: SignedImage): Statement[] {
  return [signatureStatement, provenance];
}
