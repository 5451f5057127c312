import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirrorDefinition as definition,
} from "../definitions/bundleMirror";
import { inputsIn } from "../definitions/definition";
import { entryPointName } from "../mirror/layouts/fileNames";
import type { Mirrored } from "../mirror/layouts/layout";

/** The values of the state besides the inputs and the bundle. */
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

/** Returns the bundle in a state, in the form that its layout uses. */
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

/** Returns true if a read has the whole state, and not only an id. */
export function isSaved(state: Partial<BundleMirrorState>): state is BundleMirrorState {
  return state.destination !== undefined && state.sha256 !== undefined && state.__key !== undefined;
}
