import { z } from "zod";
import type { FileOrObjectStore } from "../../storage/store";
import { putText } from "../../storage/textFile";
import { parseJsonObject } from "../../support/parseJsonObject";
import { archiveError } from "../archive/archiveError";
import { byteCountSchema, hexDigestSchema, mirrorRecordFieldSchemas } from "./mirrorRecordFields";

export const maxListBytes = 32 * 1024 ** 2;

/** Other programs can write the list, and the mirror removes the listed paths. */
const path = z
  .string()
  .refine((text) => !/[\\\p{Cc}]/u.test(text) && !text.split("/").some((step) => ["", ".", ".."].includes(step)));

const fileSchema = z.strictObject({ path, sizeBytes: byteCountSchema, sha256: hexDigestSchema, revision: z.string() });

/** Checks an array up to its first fault, because a report of a hundred thousand faults takes seconds. */
const arrayOf = <T>(schema: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .refine((values) => values.every((value) => schema.safeParse(value).success))
    .transform((values) => values as T[]);

/** A mirror's files at a destination. The files are removed only if the state's secret has sealed the list. */
const listSchema = z.strictObject({
  ...mirrorRecordFieldSchemas,
  files: arrayOf(fileSchema),
  /** The paths that are not in `files`, but may exist while a publication runs, or after it has stopped early. */
  pending: arrayOf(path).optional(),
});

export type PublishedFile = z.infer<typeof fileSchema>;
export type MirroredFileList = z.infer<typeof listSchema>;

/** A longer list would block the process for minutes. Two versions of the largest site have a million values. */
const maxParts = 2_000_000;

/** @returns undefined if there is no list, and "unreadable" if the file is not a list. */
export async function readFileList(
  store: FileOrObjectStore,
  name: string,
): Promise<MirroredFileList | "unreadable" | undefined> {
  const text = await store.read(name, maxListBytes);
  if (text === undefined) {
    return undefined;
  }
  return (!hasTooManyParts(text) && listSchema.safeParse(parseJsonObject(text)).data) || "unreadable";
}

/** An array of all values would need half a gigabyte, so the values are counted one by one. */
function hasTooManyParts(text: string): boolean {
  const part = /[,[{]/g;
  let parts = 0;
  while (parts <= maxParts && part.test(text)) {
    parts += 1;
  }
  return parts > maxParts;
}

export function listOwnedPaths({ files, pending = [] }: MirroredFileList): string[] {
  return [...new Set([...files.map((file) => file.path), ...pending])];
}

export async function writeFileList(
  store: FileOrObjectStore,
  name: string,
  list: MirroredFileList,
  signal: AbortSignal,
): Promise<void> {
  const text = `${JSON.stringify(list)}\n`;
  if (Buffer.byteLength(text) > maxListBytes) {
    throw archiveError(
      `the list of this mirror's files, and of those that were there before, has more than ${maxListBytes} bytes`,
    );
  }
  await putText(store, name, text, signal);
}
