import { z } from "zod";
import { readPackageVersion } from "../../support/packageFacts";
import { archiveFormats } from "../archive/format";
import type { MirrorOwner } from "./mirrorOwner";

export const hexDigestSchema = z.string().regex(/^[0-9a-f]{64}$/);
export const byteCountSchema = z.int().nonnegative();

/**
 * The fields that every record has, whether it describes files or an image. A text with any other field was not written
 * by a mirror.
 */
export const mirrorRecordFieldSchemas = {
  owner: z.string(),
  seals: z.array(hexDigestSchema),
  jobId: z.string(),
  version: z.string(),
  format: z.enum(archiveFormats),
  sha256: hexDigestSchema,
  sizeBytes: byteCountSchema,
  /** The time of the transfer: ISO 8601 in UTC. */
  mirroredAt: z.iso.datetime(),
  tool: z.string(),
} as const;

export type MirrorRecordFields = z.infer<z.ZodObject<typeof mirrorRecordFieldSchemas>>;
export type MirroredArchiveFields = Pick<MirrorRecordFields, "format" | "sha256" | "sizeBytes" | "mirroredAt">;

export function toMirrorRecordFields(
  { jobId, names: [owner = ""] }: MirrorOwner,
  facts: MirroredArchiveFields,
): Omit<MirrorRecordFields, "seals"> {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  const tool = `pulumi-docs-platform ${readPackageVersion()}`;
  return { owner, jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool };
}
