import { z } from "zod";
import type { Descriptor, OciStore } from "../../storage/oci/store";
import { parseJson } from "../../storage/textFile";
import { type Manifest, manifestFields, maxManifestBytes } from "./archiveManifest";
import { recordTagOf } from "./imageTags";
import { ownershipOf } from "./mirrorOwner";

/**
 * What is known of the image under a tag, and whose it is. It lies under a tag of its own: in the image, it would change the
 * digest, which the site's content alone decides.
 */
export interface ImageRecord extends Manifest {
  /** The digest of the image's manifest. */
  digest: string;
}

const recordSchema = z.strictObject({ ...manifestFields, digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) });

const recordType = "application/vnd.pulumi-docs-platform.mirror.v1+json";
const recordAnnotation = "pulumi-docs-platform.mirror";
/** The type of a blob that stands where an artifact has nothing to say, by the image specification. */
const emptyType = "application/vnd.oci.empty.v1+json";

/** The blob that an artifact has for its configuration. */
export function putEmptyBlob(store: OciStore, signal: AbortSignal): Promise<Descriptor> {
  return store.putJson(emptyType, {}, signal);
}

/** @returns undefined if there is none, and "unreadable" if what has the tag is not a record. */
export async function readRecord(store: OciStore, tag: string): Promise<ImageRecord | "unreadable" | undefined> {
  const found = await store.getManifest(recordTagOf(tag));
  if (found === undefined) {
    return undefined;
  }
  const text: unknown = found.manifest?.annotations?.[recordAnnotation];
  const isShort = typeof text === "string" && text.length <= maxManifestBytes;
  return (isShort && recordSchema.safeParse(parseJson(text)).data) || "unreadable";
}

/** Writes the record of these mirrors. */
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
