import { entryPointName, type LayoutName } from "../mirror/layouts/fileNames";
import type { Mirrored } from "../mirror/layouts/layout";

export interface BundleMirrorInputs {
  jobId: string;
  destination: string;
  expectedSha256?: string;
  layout: LayoutName;
  publicUrl?: string;
  allowExisting?: boolean;
  maxBytes?: number;
  waitTimeout?: string;
}

/** Times are ISO 8601 in UTC. */
export interface BundleMirrorState extends BundleMirrorInputs {
  url: string;
  sha256: string;
  sizeBytes: number;
  format: Mirrored["format"];
  version: string;
  mirroredAt: string;
  /** In a registry only: of the image's manifest. */
  digest?: string;
  /** Where the job lives: at another base URL its id means nothing. */
  __origin: string;
  /** The secret by which the files at the destination are known as this mirror's own: see `MirrorIdentity`. */
  __key: string;
  /** What `url` is without `publicUrl`. */
  __address: string;
  __mark?: string;
  /** Of a site that was published as a whole: the digest of the list of its files. */
  __files?: string;
  /** What lies at the destination is not, or not surely, what was mirrored. */
  __differs?: true;
  /** In which way, for a person. */
  __difference?: string;
}

/** What the state knows beside the inputs and the bundle. */
export type Place = Pick<BundleMirrorState, "__origin" | "__key" | "__address">;

export function mirrorState(
  inputs: BundleMirrorInputs,
  mirrored: Mirrored,
  { __origin, __key, __address }: Place,
): BundleMirrorState {
  const { jobId, destination, layout, expectedSha256, publicUrl, allowExisting, maxBytes, waitTimeout } = inputs;
  const { format, sha256, sizeBytes, mirroredAt, revision, files } = mirrored;
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(__address)?.[1];
  const entrance = encodeURIComponent(entryPointName(layout, jobId, format));
  return {
    jobId,
    destination,
    layout,
    ...(expectedSha256 !== undefined && { expectedSha256 }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(allowExisting !== undefined && { allowExisting }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(waitTimeout !== undefined && { waitTimeout }),
    url: publicUrl === undefined ? __address : `${publicUrl.replace(/\/+$/, "")}/${entrance}`,
    sha256,
    sizeBytes,
    format,
    version: jobId,
    mirroredAt,
    ...(digest !== undefined && { digest }),
    __origin,
    __key,
    __address,
    ...(revision !== undefined && { __mark: revision }),
    ...(files !== undefined && { __files: files }),
  };
}

/** The bundle that a state tells of, as its layout knows it. */
export function mirroredOf(state: BundleMirrorState): Mirrored {
  const { format, sha256, sizeBytes, mirroredAt, __mark: revision, __files: files } = state;
  return {
    format,
    sha256,
    sizeBytes,
    mirroredAt,
    ...(revision !== undefined && { revision }),
    ...(files !== undefined && { files }),
  };
}

/** Whether a read has been given more than an id. */
export function isSaved(state: Partial<BundleMirrorState>): state is BundleMirrorState {
  return state.destination !== undefined && state.sha256 !== undefined && state.__key !== undefined;
}
