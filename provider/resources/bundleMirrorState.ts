import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirror as definition,
} from "../definitions/bundleMirror";
import { inputsIn } from "../definitions/definition";
import { entryPointName } from "../mirror/layouts/fileNames";
import type { Mirrored } from "../mirror/layouts/layout";

/** What the state knows beside the inputs and the bundle. */
export type Place = Pick<BundleMirrorState, "__origin" | "__key" | "__address">;

export function mirrorState(
  inputs: BundleMirrorInputs,
  mirrored: Mirrored,
  { __origin, __key, __address }: Place,
): BundleMirrorState {
  const { jobId, layout, publicUrl } = inputs;
  const { format, sha256, sizeBytes, mirroredAt, revision, files } = mirrored;
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(__address)?.[1];
  const entrance = encodeURIComponent(entryPointName(layout, jobId, format));
  return {
    ...inputsIn(definition, inputs),
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
