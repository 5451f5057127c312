import { z } from "zod";
import type { ArchiveFormat } from "../archive/format";
import { parseJson } from "../stores/textFile";
import { archiveFiles } from "./fileNames";
import { type Ownership, ownershipOf } from "./mirrorOwner";
import { toolVersion } from "./toolVersion";

export const archiveContentTypes: Readonly<Record<ArchiveFormat, string>> = {
  "tar.gz": "application/gzip",
  tar: "application/x-tar",
  zip: "application/zip",
};

/** What is known about an archive after its transfer. */
export interface ArchiveFacts {
  format: ArchiveFormat;
  /** In lower-case hexadecimal digits. */
  sha256: string;
  sizeBytes: number;
  /** ISO 8601 in UTC. */
  mirroredAt: string;
}

/** The fields of every manifest, for tools that use the files. */
export interface Manifest extends Ownership, ArchiveFacts {
  jobId: string;
  version: string;
  /** The tool that wrote the manifest. */
  tool: string;
}

/** @param mirrors all mirrors that it belongs to. */
export function manifestOf(jobId: string, mirrors: readonly string[], facts: ArchiveFacts): Manifest {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  return { jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool: toolVersion(), ...ownershipOf(mirrors) };
}

export function checksumText(jobId: string, { format, sha256 }: ArchiveFacts): string {
  return `${sha256}  ${archiveFiles(jobId, format).archive}\n`;
}

/** Parses the common fields of every manifest. */
export const manifestSchema = z.looseObject({
  jobId: z.string(),
  version: z.string(),
  mirror: z.string(),
  sharedWith: z.array(z.string()).optional(),
  format: z.enum(["tar.gz", "tar", "zip"]),
  sha256: z.string(),
  sizeBytes: z.number(),
  mirroredAt: z.string(),
  tool: z.string(),
});

/** @returns undefined if the text is not a manifest. */
export function readArchiveManifest(text: string | undefined): Manifest | undefined {
  return text === undefined ? undefined : manifestSchema.safeParse(parseJson(text)).data;
}
