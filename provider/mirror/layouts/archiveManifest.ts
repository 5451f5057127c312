import { z } from "zod";
import { parseJson } from "../../storage/textFile";
import { packageVersion } from "../../support/packageFacts";
import { type BundleFormat, bundleFormats } from "../archive/format";
import { archiveFiles } from "./fileNames";
import { type Ownership, ownershipOf } from "./mirrorOwner";

export const archiveContentTypes: Readonly<Record<BundleFormat, string>> = {
  "tar.gz": "application/gzip",
  "tar.zst": "application/zstd",
  "tar.xz": "application/x-xz",
  tar: "application/x-tar",
  zip: "application/zip",
  bin: "application/octet-stream",
};

/** The facts that are known about an archive after its transfer. */
export interface ArchiveFacts {
  format: BundleFormat;
  /** The digest in lower-case hexadecimal digits. */
  sha256: string;
  sizeBytes: number;
  /** The time of the transfer: ISO 8601 in UTC. */
  mirroredAt: string;
}

/** The fields of every manifest, for tools that use the files. */
export interface Manifest extends Ownership, ArchiveFacts {
  jobId: string;
  version: string;
  /** The tool that wrote the manifest. */
  tool: string;
}

/**
 * The largest size of an archive's manifest, in bytes. It is enough for the names of a thousand mirrors; files are not
 * listed.
 */
export const maxManifestBytes = 64 * 1024;

/**
 * Returns the manifest of an archive.
 * @param mirrors all mirrors that the archive belongs to.
 */
export function manifestOf(jobId: string, mirrors: readonly string[], facts: ArchiveFacts): Manifest {
  const { format, sha256, sizeBytes, mirroredAt } = facts;
  return { jobId, version: jobId, format, sha256, sizeBytes, mirroredAt, tool: toolVersion(), ...ownershipOf(mirrors) };
}

export function checksumText(jobId: string, { format, sha256 }: ArchiveFacts): string {
  return `${sha256}  ${archiveFiles(jobId, format).archive}\n`;
}

export const hexDigest = z.string().regex(/^[0-9a-f]{64}$/);
export const mirrorName = z.string().regex(/^[0-9a-f]{32}$/);
export const byteCount = z.int().nonnegative();

/** The fields that all manifests have. A text with any other field was not written by a mirror. */
export const manifestFields = {
  jobId: z.string(),
  version: z.string(),
  mirror: mirrorName.or(z.literal("")),
  sharedWith: z.array(mirrorName).optional(),
  format: z.enum(bundleFormats),
  sha256: hexDigest,
  sizeBytes: byteCount,
  mirroredAt: z.iso.datetime(),
  tool: z.string(),
} as const;

const archiveManifestSchema = z.strictObject({ file: z.string(), ...manifestFields });

/** @returns undefined if the text is not a manifest of this job's archive. */
export function readArchiveManifest(jobId: string, text: string | undefined): Manifest | undefined {
  const { data } = archiveManifestSchema.safeParse(parseJson(text ?? ""));
  return data?.jobId === jobId ? data : undefined;
}

/** Returns the name and the version of this package, for manifests. */
export function toolVersion(): string {
  return `pulumi-docs-platform ${packageVersion()}`;
}
