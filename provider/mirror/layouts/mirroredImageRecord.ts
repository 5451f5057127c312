import { buffer } from "node:stream/consumers";
import { z } from "zod";
import {
  digestOf,
  type ImageStore,
  imageConfigMediaType,
  imageLayerMediaType,
  putJsonBlob,
} from "../../storage/imageStore";
import { singleChunk } from "../../storage/textFile";
import { parseJsonObject } from "../../support/parseJsonObject";
import { storedGzip } from "../archive/storedGzip";
import { mirrorRecordTagOf } from "./imageTags";
import { mirrorRecordFieldSchemas } from "./mirrorRecordFields";

/** The record has its own tag, because the image's digest must depend only on the site's content. */
const recordSchema = z.strictObject({
  ...mirrorRecordFieldSchemas,
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** Made with the key that signed the image. Undefined for an unsigned image. */
  signature: z.base64().optional(),
});

export type MirroredImageRecord = z.infer<typeof recordSchema>;

const recordAnnotation = "pulumi-docs-platform.mirror";

/** @returns undefined if there is no record, and "unreadable" if the content under the record's tag is not a record. */
export async function readMirroredImageRecord(
  store: ImageStore,
  tag: string,
): Promise<MirroredImageRecord | "unreadable" | undefined> {
  const found = await store.getManifest(mirrorRecordTagOf(tag));
  if (found === undefined) {
    return undefined;
  }
  const text: unknown = found.manifest?.annotations?.[recordAnnotation];
  return recordSchema.safeParse(parseJsonObject(String(text))).data ?? "unreadable";
}

/** The record is an image without content, because some registries refuse other media types. */
export async function putMirroredImageRecord(
  store: ImageStore,
  tag: string,
  record: MirroredImageRecord,
  signal: AbortSignal,
): Promise<void> {
  const tar = Buffer.alloc(1_024);
  const rootfs = { type: "layers", diff_ids: [digestOf(tar)] };
  const [config, layer] = [
    await putJsonBlob(store, imageConfigMediaType, { architecture: "amd64", os: "linux", config: {}, rootfs }, signal),
    await store.putBytes(imageLayerMediaType, await buffer(storedGzip(singleChunk(tar))), signal),
  ];
  const annotations = { [recordAnnotation]: JSON.stringify(record) };
  const manifest = { config, layers: [layer], annotations };
  await store.putManifest(manifest, signal, mirrorRecordTagOf(tag));
}
