import { z } from "zod";
import { archiveFiles } from "./names";
import { parseJson } from "./smallText";
import { toolVersion } from "./toolVersion";
import type { ArchiveFormat } from "./unpack/format";

/** Whose a mirror's files are. */
export interface Owner {
  jobId: string;
  /** A random value of the one mirror that has put them: one that comes in its place has another. */
  mirror: string;
}

/** What is known of an archive once it has come. */
export interface ArchiveFacts {
  format: ArchiveFormat;
  /** In lower-case hexadecimal digits. */
  sha256: string;
  sizeBytes: number;
  /** ISO 8601 in UTC. */
  mirroredAt: string;
}

/** What any manifest tells, for whoever takes the files on from there. */
export interface Manifest extends Owner, ArchiveFacts {
  version: string;
  /** What has written it. */
  tool: string;
}

export function manifestOf({ jobId, mirror }: Owner, facts: ArchiveFacts): Manifest {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  return { jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool: toolVersion(), mirror };
}

export function checksumText(jobId: string, { format, sha256 }: ArchiveFacts): string {
  return `${sha256}  ${archiveFiles(jobId, format).archive}\n`;
}

const manifestBody = z.looseObject({
  jobId: z.string(),
  mirror: z.string(),
  format: z.enum(["tar.gz", "tar", "zip"]),
});

/** Whose a manifest is, and of which format; undefined for a text that is no manifest. */
export function readArchiveManifest(text: string | undefined): (Owner & { format: ArchiveFormat }) | undefined {
  return text === undefined ? undefined : manifestBody.safeParse(parseJson(text)).data;
}
