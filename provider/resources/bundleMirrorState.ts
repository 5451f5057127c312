import { entryName, type LayoutName } from "../mirror/layouts/fileNames";
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
  /** The random value by which the files at the destination are known as this mirror's own. */
  __mirror: string;
  /** Of a site: seals the list of its files at the destination; release 0.1.0 knew none. */
  __key?: string;
  /** What `url` is without `publicUrl`. */
  __address: string;
  __mark?: string;
  __manifestBytes?: number;
  /** What lies at the destination is not, or not surely, what was mirrored. */
  __differs?: true;
  /** In which way, for a person. */
  __difference?: string;
}

/** What the state knows beside the inputs and the bundle. */
export type Place = Pick<BundleMirrorState, "__origin" | "__mirror" | "__address"> & { __key?: string | undefined };

export function mirrorState(
  inputs: BundleMirrorInputs,
  mirrored: Mirrored,
  { __origin, __mirror, __key, __address }: Place,
): BundleMirrorState {
  const { jobId, destination, layout, expectedSha256, publicUrl, allowExisting, maxBytes, waitTimeout } = inputs;
  const { format, sha256, sizeBytes, mirroredAt, revision, manifestBytes } = mirrored;
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(__address)?.[1];
  const entrance = encodeURIComponent(entryName(layout, jobId, format));
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
    __mirror,
    ...(__key !== undefined && { __key }),
    __address,
    ...(revision !== undefined && { __mark: revision }),
    ...(manifestBytes !== undefined && { __manifestBytes: manifestBytes }),
  };
}

/** The bundle that a state tells of, as its layout knows it. */
export function mirroredOf(state: BundleMirrorState): Mirrored {
  const { format, sha256, sizeBytes, mirroredAt, __mark: revision, __manifestBytes: manifestBytes } = state;
  return {
    format,
    sha256,
    sizeBytes,
    mirroredAt,
    ...(revision !== undefined && { revision }),
    ...(manifestBytes !== undefined && { manifestBytes }),
  };
}

/** Whether a read has been given more than an id. */
export function isSaved(state: Partial<BundleMirrorState>): state is BundleMirrorState {
  return state.destination !== undefined && state.sha256 !== undefined && state.__mirror !== undefined;
}
