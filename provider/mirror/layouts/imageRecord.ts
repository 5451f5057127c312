import { z } from "zod";
import type { Descriptor, OciStore } from "../../storage/oci/store";
import { parseJson } from "../../storage/textFile";
import { type Manifest, manifestFields, maxManifestBytes } from "./archiveManifest";
import { recordTagOf } from "./imageTags";
import { ownershipOf } from "./mirrorOwner";

/**
 * The facts about the image under a tag, and its owners. The record has a tag of its own: inside the image, it would
 * change the digest, which depends on the site's content alone.
 */
export interface ImageRecord extends Manifest {
  /** The digest of the image's manifest. */
  digest: string;
}

const recordSchema = z.strictObject({ ...manifestFields, digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) });

const recordType = "application/vnd.pulumi-docs-platform.mirror.v1+json";
const recordAnnotation = "pulumi-docs-platform.mirror";
/** The type of the blob that an artifact uses for a part without content, by the image specification. */
const emptyType = "application/vnd.oci.empty.v1+json";

/** Stores the blob that an artifact uses as its configuration. */
export function putEmptyBlob(store: OciStore, signal: AbortSignal): Promise<Descriptor> {
  return store.putJson(emptyType, {}, signal);
}

/** @returns undefined if there is no record, and "unreadable" if the content under the record's tag is not a record. */
export async function readRecord(store: OciStore, tag: string): Promise<ImageRecord | "unreadable" | undefined> {
  const found = await store.getManifest(recordTagOf(tag));
  if (found === undefined) {
    return undefined;
  }
  const text: unknown = found.manifest?.annotations?.[recordAnnotation];
  const isShort = typeof text === "string" && text.length <= maxManifestBytes;
  return (isShort && recordSchema.safeParse(parseJson(text)).data) || "unreadable";
}

/** Writes the record, with these mirrors as its owners. */
export async function putRecord(
  store: OciStore,
  tag: string,
  { sharedWith: _, ...record }: ImageRecord,
  mirrors: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const text = JSON.stringify({ ...record, ...ownershipOf(mirrors) });
  const empty = await putEmptyBlob(store, signal);
  const annotations = { [recordAnnotation]: text };
  const manifest = { artifactType: recordType, config: empty, layers: [empty], annotations };
  await store.putManifest(manifest, signal, recordTagOf(tag));
}
