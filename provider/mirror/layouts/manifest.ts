import { z } from "zod";
import type { Store } from "../../storage/store";
import { putText } from "../../storage/textFile";
import { jsonObject } from "../../support/jsonObject";
import { packageVersion } from "../../support/packageFacts";
import { archiveError } from "../archive/error";
import { type ArchiveFormat, archiveFormats } from "../archive/format";
import type { ArchivedFile } from "../archive/readArchive";
import type { MirrorOwner, Ownership } from "./mirrorOwner";

export const archiveContentTypes: Readonly<Record<ArchiveFormat, string>> = {
  "tar.gz": "application/gzip",
  "tar.zst": "application/zstd",
  tar: "application/x-tar",
  zip: "application/zip",
};

export interface ArchiveFacts {
  format: ArchiveFormat;
  sha256: string;
  sizeBytes: number;
  /** The time of the transfer: ISO 8601 in UTC. */
  mirroredAt: string;
}

export interface ManifestFacts extends Ownership, ArchiveFacts {
  jobId: string;
  version: string;
  tool: string;
}

export interface PublishedFile extends ArchivedFile {
  revision: string;
}

/** The list of a mirror's files at a destination. They are removed only if the list has the state's seal. */
export interface Manifest extends ManifestFacts {
  files: PublishedFile[];
  /** More paths that may exist: during a publication, or after an incomplete one. */
  pending?: string[] | undefined;
}

export const maxManifestBytes = 32 * 1024 ** 2;

export function factsOf(
  { jobId, names: [owner = ""] }: MirrorOwner,
  facts: ArchiveFacts,
): Omit<ManifestFacts, "seals"> {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  const tool = `pulumi-docs-platform ${packageVersion()}`;
  return { owner, jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool };
}

const hexDigest = z.string().regex(/^[0-9a-f]{64}$/);
const byteCount = z.int().nonnegative();

/** The fields that all manifests have. A text with any other field was not written by a mirror. */
export const manifestFields = {
  owner: z.string(),
  seals: z.array(hexDigest),
  jobId: z.string(),
  version: z.string(),
  format: z.enum(archiveFormats),
  sha256: hexDigest,
  sizeBytes: byteCount,
  mirroredAt: z.iso.datetime(),
  tool: z.string(),
} as const;

/**
 * Others can write to the destination, and files are removed by these paths: no path may lead out of the destination.
 */
const path = z
  .string()
  .refine((text) => !/[\\\p{Cc}]/u.test(text) && !text.split("/").some((step) => ["", ".", ".."].includes(step)));

const fileSchema = z.strictObject({ path, sizeBytes: byteCount, sha256: hexDigest, revision: z.string() });

/** An array whose check ends at the first fault, since a report of a hundred thousand faults takes seconds. */
const arrayOf = <T>(schema: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .refine((values) => values.every((value) => schema.safeParse(value).success))
    .transform((values) => values as T[]);

const manifestSchema = z.strictObject({
  ...manifestFields,
  files: arrayOf(fileSchema),
  pending: arrayOf(path).optional(),
});

/** A list of more parts would hold the process for minutes. Two versions of the largest site have a million. */
const maxParts = 2_000_000;

/** @returns undefined if there is no manifest, and "unreadable" if the file is not a manifest. */
export async function getManifest(store: Store, name: string): Promise<Manifest | "unreadable" | undefined> {
  const text = await store.read(name, maxManifestBytes);
  if (text === undefined) {
    return undefined;
  }
  return (!hasTooManyParts(text) && manifestSchema.safeParse(jsonObject(text)).data) || "unreadable";
}

/** Counts one by one, and no further than to the limit: a list of all parts would take half a gigabyte. */
function hasTooManyParts(text: string): boolean {
  const part = /[,[{]/g;
  let parts = 0;
  while (parts <= maxParts && part.test(text)) {
    parts += 1;
  }
  return parts > maxParts;
}

export function pathsOf({ files, pending = [] }: Manifest): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}

export async function putManifest(store: Store, name: string, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const text = `${JSON.stringify(manifest)}\n`;
  if (Buffer.byteLength(text) > maxManifestBytes) {
    throw archiveError(
      `the list of this mirror's files, and of those that were there before, has more than ${maxManifestBytes} bytes`,
    );
  }
  await putText(store, name, text, signal);
}
