import { isDeepStrictEqual } from "node:util";
import type { ImageSigningKey } from "../../settings/signingKey";
import {
  descriptorsIn,
  type ImageStore,
  type OciDescriptor,
  putEmptyBlob,
  putJsonBlob,
} from "../../storage/imageStore";
import { type InTotoStatement, readVerifiedStatement, signStatement, sigstoreBundleType } from "./sigstoreBundle";

interface StoredStatement extends InTotoStatement {
  digest: string;
  publicKey: string;
}

/** The number and the size of referrers are limited, because anybody who may push can add them. */
const mostReferrers = 100;
const mostBytes = 256 * 1024;

export async function findAttestations(
  store: ImageStore,
  digest: string,
  publicKeys: readonly string[],
): Promise<StoredStatement[]> {
  const found: StoredStatement[] = [];
  const bundles = (await store.referrers(digest)).filter(({ artifactType }) => artifactType === sigstoreBundleType);
  for (const { digest: referrer = "" } of bundles.slice(0, mostReferrers)) {
    const [{ digest: blob = "", size = mostBytes } = {}] = descriptorsIn(
      (await store.getManifest(referrer))?.manifest?.layers,
    );
    const bundle = size <= mostBytes ? await store.readBlob(blob) : undefined;
    for (const publicKey of bundle ? publicKeys : []) {
      const statement = bundle && readVerifiedStatement(bundle, digest, publicKey);
      found.push(...(statement ? [{ ...statement, digest: referrer, publicKey }] : []));
    }
  }
  return found;
}

export async function putAttestation(
  store: ImageStore,
  subject: OciDescriptor,
  statement: InTotoStatement,
  key: ImageSigningKey,
  created: string,
  signal: AbortSignal,
): Promise<void> {
  const bundle = await putJsonBlob(store, sigstoreBundleType, signStatement(subject.digest, statement, key), signal);
  const annotations = {
    "dev.sigstore.bundle.content": "dsse-envelope",
    "dev.sigstore.bundle.predicateType": statement.predicateType,
    "org.opencontainers.image.created": created,
  };
  const config = await putEmptyBlob(store, signal);
  await store.putReferrer({ artifactType: sigstoreBundleType, config, layers: [bundle], subject, annotations }, signal);
}

/** Ignores the version of the tool that wrote a statement. */
export function isSameStatement(one: InTotoStatement, other: InTotoStatement): boolean {
  const said = ({ predicateType, predicate: { tool: _, ...predicate } }: InTotoStatement) => ({
    predicateType,
    predicate,
  });
  return isDeepStrictEqual(said(one), said(other));
}
