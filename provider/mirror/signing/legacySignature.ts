import { sign } from "node:crypto";
import type { SigningKey } from "../../settings/signingKey";
import { type Descriptor, digestOf, type ImageStore, layersOf } from "../../storage/imageStore";
import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { hexOf, isSignature } from "./bundle";

/*
 * The signatures of an image as cosign stored them before version 3: the layers of one manifest under a tag that the
 * digest of the image tells. A layer is the signed text, and its annotation holds the signature.
 */

const annotation = "dev.cosignproject.cosign/signature";
const layerType = "application/vnd.dev.cosign.simplesigning.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";

type Layer = Partial<Descriptor>;

export function legacyTagOf(digest: string): string {
  return `sha256-${hexOf(digest)}.sig`;
}

function textOf(store: ImageStore, digest: string) {
  const identity = { "docker-reference": store.repository };
  const type = "cosign container image signature";
  return { critical: { identity, image: { "docker-manifest-digest": digest }, type }, optional: null };
}

async function findLayers(store: ImageStore, digest: string, publicKeys: readonly string[]) {
  const found = await store.getManifest(legacyTagOf(digest));
  if (found !== undefined && !Array.isArray(found.manifest?.layers)) {
    throw new DestinationError({
      happened: `the tag ${store.reference(`:${legacyTagOf(digest)}`)}, which is for signatures, leads to something else`,
      remedy: `remove this tag; then run \`${words.run}\` again.`,
    });
  }
  const bytes = Buffer.from(JSON.stringify(textOf(store, digest)));
  const text = digestOf(bytes);
  const signer = ({ digest: of, annotations }: Layer) => {
    const signature: unknown = annotations?.[annotation];
    return of === text && typeof signature === "string"
      ? publicKeys.find((key) => isSignature(bytes, signature, key))
      : undefined;
  };
  return { layers: layersOf(found?.manifest).map((layer) => ({ layer, publicKey: signer(layer) })), bytes };
}

export async function hasLegacySignature(store: ImageStore, digest: string, publicKey: string): Promise<boolean> {
  const { layers } = await findLayers(store, digest, [publicKey]);
  return layers.some((layer) => layer.publicKey !== undefined);
}

/**
 * Leaves one signature under the tag for the wanted key, and none for the other keys. What others have signed stays.
 * @param wanted the key that signs; undefined if no signature is wanted.
 * @returns true if the registry allows it.
 */
export async function setLegacySignature(
  store: ImageStore,
  digest: string,
  wanted: SigningKey | undefined,
  publicKeys: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const { layers, bytes } = await findLayers(store, digest, publicKeys);
  const isKept = ({ publicKey }: (typeof layers)[number]) => publicKey === undefined || publicKey === wanted?.publicKey;
  const kept = layers.filter(isKept).map(({ layer }) => layer);
  if (wanted !== undefined && !layers.some(({ publicKey }) => publicKey === wanted.publicKey)) {
    const described = await store.putJson(layerType, textOf(store, digest), signal);
    const signature = sign("sha256", bytes, wanted.privateKey).toString("base64");
    kept.push({ ...described, annotations: { [annotation]: signature } });
  } else if (kept.length === layers.length) {
    return true;
  }
  if (kept.length === 0) {
    return store.removeTag(legacyTagOf(digest), signal);
  }
  const rootfs = { type: "layers", diff_ids: kept.map((layer) => layer.digest) };
  const config = await store.putJson(configType, { architecture: "", os: "", config: {}, rootfs }, signal);
  await store.putManifest({ config, layers: kept as Descriptor[] }, signal, legacyTagOf(digest));
  return true;
}
