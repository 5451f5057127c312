import { publicKeyName, type SigningKey } from "../../settings/signingKey";
import type { Descriptor, ImageStore } from "../../storage/imageStore";
import { type Statement, signatureStatement } from "./bundle";
import { hasLegacySignature, setLegacySignature } from "./legacySignature";
import { findStatements, isSameStatement, putStatement } from "./statements";

/** How an image is signed: `bundle` for verifiers of today, `legacy` for those that know only a tag. */
export type SignatureForm = "bundle" | "legacy" | "both";

export interface Signed {
  form: SignatureForm;
  publicKey: string;
  platform: string;
}

export interface Signing {
  wanted: { form: SignatureForm; key: SigningKey } | undefined;
  /** How it was signed before: these signatures go, unless they are as wanted. */
  earlier: Signed | undefined;
  platform: string;
}

export interface SignedImage {
  store: ImageStore;
  digest: string;
  provenance: Statement;
}

function statementsOf({ provenance }: SignedImage, form: SignatureForm | undefined): Statement[] {
  // If an image has any bundle, verifiers do not look at the tag. So the provenance comes only with a signature beside it.
  return form === "bundle" || form === "both" ? [signatureStatement, provenance] : [];
}

/**
 * Makes the signatures of an image those that are wanted. An own valid signature stays as it is, and so does every
 * signature of others. New ones are there before old ones go.
 */
export async function signImage(
  image: SignedImage,
  subject: Descriptor,
  { wanted, earlier, platform }: Signing,
  created: string,
  signal: AbortSignal,
): Promise<Signed | undefined> {
  const { store, digest } = image;
  const keys = keysOf(wanted?.key.publicKey, earlier?.publicKey);
  const found = keys.length > 0 ? await findStatements(store, digest, keys) : [];
  const kept = new Set<string>();
  for (const statement of statementsOf(image, wanted?.form)) {
    const same = found.find((one) => one.publicKey === wanted?.key.publicKey && isSameStatement(one, statement));
    if (same !== undefined) {
      kept.add(same.digest);
    } else if (wanted !== undefined) {
      await putStatement(store, subject, statement, wanted.key, created, signal);
    }
  }
  const legacyKey = wanted?.form === "bundle" ? undefined : wanted?.key;
  if (keys.length > 0) {
    await setLegacySignature(store, digest, legacyKey, keys, signal);
  }
  for (const { digest: old } of found.filter((one) => !kept.has(one.digest))) {
    await store.removeReferrer(digest, old, signal);
  }
  return wanted && { form: wanted.form, publicKey: wanted.key.publicKey, platform };
}

/** Removes the signatures of this mirror. @returns true if the registry allows it. */
export async function unsignImage(
  store: ImageStore,
  digest: string,
  { publicKey }: Signed,
  signal?: AbortSignal,
): Promise<boolean> {
  let isAllowed = true;
  for (const { digest: referrer } of await findStatements(store, digest, [publicKey])) {
    isAllowed = (await store.removeReferrer(digest, referrer, signal)) && isAllowed;
  }
  return (await setLegacySignature(store, digest, undefined, [publicKey], signal)) && isAllowed;
}

export async function missingSignature(image: SignedImage, { form, publicKey }: Signed): Promise<string | undefined> {
  const { store, digest } = image;
  const by = `by the key ${publicKeyName(publicKey)}`;
  const found = form === "legacy" ? [] : await findStatements(store, digest, [publicKey]);
  for (const statement of statementsOf(image, form)) {
    if (!found.some((one) => isSameStatement(one, statement))) {
      return statement === signatureStatement
        ? `the image has no signature ${by}`
        : `the image has no statement of its origin ${by}`;
    }
  }
  return form !== "bundle" && !(await hasLegacySignature(store, digest, publicKey))
    ? `the image has no signature ${by} under a tag`
    : undefined;
}

function keysOf(...keys: (string | undefined)[]): string[] {
  return [...new Set(keys)].filter((key) => key !== undefined);
}
