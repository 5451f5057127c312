import { z } from "zod";
import { packageVersion } from "../../support/packageFacts";
import { type ArchiveFormat, archiveFormats } from "../archive/format";
import type { MirrorOwner, SealedRecord } from "./mirrorOwner";

export interface ArchiveFacts {
  format: ArchiveFormat;
  sha256: string;
  sizeBytes: number;
  /** The time of the transfer: ISO 8601 in UTC. */
  mirroredAt: string;
}

/** The fields that every record has, whether it describes files or an image. */
export interface RecordFacts extends SealedRecord, ArchiveFacts {
  jobId: string;
  version: string;
  tool: string;
}

export function recordFactsOf(
  { jobId, names: [owner = ""] }: MirrorOwner,
  facts: ArchiveFacts,
): Omit<RecordFacts, "seals"> {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  const tool = `pulumi-docs-platform ${packageVersion()}`;
  return { owner, jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool };
}

export const hexDigestSchema = z.string().regex(/^[0-9a-f]{64}$/);
export const byteCountSchema = z.int().nonnegative();

/** The schema of the fields of {@link RecordFacts}. A text with any other field was not written by a mirror. */
export const recordFields = {
  owner: z.string(),
  seals: z.array(hexDigestSchema),
  jobId: z.string(),
  version: z.string(),
  format: z.enum(archiveFormats),
  sha256: hexDigestSchema,
  sizeBytes: byteCountSchema,
  mirroredAt: z.iso.datetime(),
  tool: z.string(),
} as const;
