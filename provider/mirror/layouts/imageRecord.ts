import { z } from "zod";
import { type ImageStore, putEmptyBlob } from "../../storage/imageStore";
import { jsonObject } from "../../support/jsonObject";
import { recordTagOf } from "./imageTags";
import { type ManifestFacts, manifestFields } from "./manifest";

/**
 * The facts about the image under a tag, and its owner. The record has a tag of its own: inside the image, it would
 * change the digest, which depends on the site's content alone.
 */
export interface ImageRecord extends ManifestFacts {
  digest: string;
}

const recordSchema = z.strictObject({ ...manifestFields, digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) });

const recordType = "application/vnd.pulumi-docs-platform.mirror.v1+json";
const recordAnnotation = "pulumi-docs-platform.mirror";

/** @returns undefined if there is no record, and "unreadable" if the content under the record's tag is not a record. */
export async function readRecord(store: ImageStore, tag: string): Promise<ImageRecord | "unreadable" | undefined> {
  const found = await store.getManifest(recordTagOf(tag));
  if (found === undefined) {
    return undefined;
  }
  const text: unknown = found.manifest?.annotations?.[recordAnnotation];
  return recordSchema.safeParse(jsonObject(String(text))).data ?? "unreadable";
}

export async function putRecord(
  store: ImageStore,
  tag: string,
  record: ImageRecord,
  signal: AbortSignal,
): Promise<void> {
  const empty = await putEmptyBlob(store, signal);
  const annotations = { [recordAnnotation]: JSON.stringify(record) };
  const manifest = { artifactType: recordType, config: empty, layers: [empty], annotations };
  await store.putManifest(manifest, signal, recordTagOf(tag));
}
