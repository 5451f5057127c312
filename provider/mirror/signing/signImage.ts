import { type ImageSigningKey, publicKeyFingerprint } from "../../settings/signingKey";
import { type ImageStore, type OciDescriptor, putEmptyBlob } from "../../storage/imageStore";
import { cosignSignaturePredicate, type InTotoStatement, sigstoreBundleType } from "./sigstoreBundle";
import { findAttestations, isSameStatement, putAttestation } from "./statements";

export interface PublicKeyInState {
  publicKey: string;
  platform: string;
}

export interface WantedAndEarlierKeys {
  /** The key for new signatures. Undefined if the image must have no signature. */
  wanted: ImageSigningKey | undefined;
  /** The earlier signatures of this key are removed, unless the key is also `wanted`. */
  earlier: PublicKeyInState | undefined;
  platform: string;
}

interface SignedImage {
  store: ImageStore;
  digest: string;
  provenance: InTotoStatement;
}

/** Keeps the signatures of other programs. Adds new signatures before it removes old ones. */
export async function signImage(
  image: SignedImage,
  subject: OciDescriptor,
  { wanted, earlier, platform }: WantedAndEarlierKeys,
  created: string,
  signal: AbortSignal,
): Promise<PublicKeyInState | undefined> {
  const { store, digest } = image;
  const keys = [...new Set([wanted?.publicKey, earlier?.publicKey])].filter((key) => key !== undefined);
  const found = keys.length > 0 ? await findAttestations(store, digest, keys) : [];
  const kept = new Set<string>();
  if (wanted !== undefined) {
    for (const statement of statementsOf(image)) {
      const same = found.find((one) => one.publicKey === wanted.publicKey && isSameStatement(one, statement));
      if (same !== undefined) {
        kept.add(same.digest);
      } else {
        await putAttestation(store, subject, statement, wanted, created, signal);
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
  { publicKey }: PublicKeyInState,
): Promise<boolean> {
  let isAllowed = true;
  for (const { digest: referrer } of await findAttestations(store, digest, [publicKey])) {
    isAllowed = (await store.removeReferrer(digest, referrer)) && isAllowed;
  }
  return isAllowed;
}

export async function findMissingSignatureReason(
  image: SignedImage,
  { publicKey }: PublicKeyInState,
): Promise<string | undefined> {
  const { store, digest } = image;
  const by = `by the key ${publicKeyFingerprint(publicKey)}`;
  const found = await findAttestations(store, digest, [publicKey]);
  for (const statement of statementsOf(image)) {
    if (!found.some((one) => isSameStatement(one, statement))) {
      return statement === cosignSignaturePredicate
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

function statementsOf({ provenance }: SignedImage): InTotoStatement[] {
  return [cosignSignaturePredicate, provenance];
}
