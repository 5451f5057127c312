import { z } from "zod";
import type { Descriptor, OciStore } from "../stores/oci/store";
import { parseJson } from "../stores/textFile";
import { type Manifest, manifestSchema } from "./archiveManifest";
import { recordTagOf } from "./imageTags";
import { type MirrorOwner, ownershipOf, ownersOf, ownMirrorsIn, sealOf } from "./mirrorOwner";

/**
 * What is known of the image under a tag, and whose it is. It lies under a tag of its own: in the image, it would change the
 * digest, which the site's content alone decides.
 */
export interface ImageRecord extends Manifest {
  /** The digest of the image's manifest. */
  digest: string;
}

const recordSchema = manifestSchema.extend({
  digest: z.string(),
  seals: z.record(z.string(), z.string()).optional(),
});

const recordType = "application/vnd.pulumi-docs-platform.mirror.v1+json";
const recordAnnotation = "pulumi-docs-platform.mirror";
/** The type of a blob that stands where an artifact has nothing to say, by the image specification. */
const emptyType = "application/vnd.oci.empty.v1+json";

/** The blob that an artifact has for its configuration. */
export function putEmptyBlob(store: OciStore, signal: AbortSignal): Promise<Descriptor> {
  return store.putJson(emptyType, {}, signal);
}

/** @returns undefined if there is none, or one that no mirror has written. */
export async function readRecord(store: OciStore, tag: string): Promise<ImageRecord | undefined> {
  const text = (await store.getManifest(recordTagOf(tag)))?.manifest?.annotations?.[recordAnnotation];
  return text === undefined ? undefined : (recordSchema.safeParse(parseJson(text)).data as ImageRecord | undefined);
}

/** Writes the record of these mirrors. If the owner is one of them, its key seals the digest. */
export async function putRecord(
  store: OciStore,
  tag: string,
  { mirror, key }: MirrorOwner,
  { sharedWith: _, ...record }: ImageRecord,
  mirrors: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const kept = Object.entries(record.seals ?? {}).filter(([id]) => id !== mirror && mirrors.includes(id));
  const own = key !== undefined && mirrors.includes(mirror) ? [[mirror, sealOf(key, [record.digest])]] : [];
  const seals = Object.fromEntries([...kept, ...own]);
  const text = JSON.stringify({ ...record, ...ownershipOf(mirrors), seals });
  const empty = await putEmptyBlob(store, signal);
  const annotations = { [recordAnnotation]: text };
  const manifest = { artifactType: recordType, config: empty, layers: [empty], annotations };
  await store.putManifest(recordTagOf(tag), manifest, signal);
}

/** The mirrors of a record that are the owner itself, or its predecessors. */
export function ownMirrorsOf(record: ImageRecord, owner: MirrorOwner): string[] {
  return ownMirrorsIn(record, [record.digest], owner);
}

export function otherMirrorsOf(record: ImageRecord, owner: MirrorOwner): string[] {
  const own = ownMirrorsOf(record, owner);
  return ownersOf(record).filter((mirror) => mirror !== owner.mirror && !own.includes(mirror));
}
