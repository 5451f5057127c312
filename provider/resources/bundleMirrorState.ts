import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirrorDefinition as definition,
} from "../definitions/bundleMirror";
import { inputsIn } from "../definitions/definition";
import { entryPointName } from "../mirror/layouts/fileNames";
import type { Mirrored } from "../mirror/layouts/layout";
import { signatureInState, signatureState } from "./imageSigning";

type PlaceState = Pick<BundleMirrorState, "__origin" | "__owner" | "__publication" | "__address">;

export function mirrorState(
  inputs: BundleMirrorInputs,
  mirrored: Mirrored,
  { __origin, __owner, __publication, __address }: PlaceState,
): BundleMirrorState {
  const { jobId, layout, publicUrl } = inputs;
  const { format, sha256, sizeBytes, mirroredAt, digest, signed, outerFolder } = mirrored;
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
    ...signatureState(signed),
    ...(outerFolder !== undefined && { __outerFolder: outerFolder }),
    __origin,
    __owner,
    __publication,
    __address,
  };
}

export function mirroredOf(state: BundleMirrorState): Mirrored {
  const { format, sha256, sizeBytes, mirroredAt, digest, __outerFolder: outerFolder } = state;
  return { format, sha256, sizeBytes, mirroredAt, digest, signed: signatureInState(state), outerFolder };
}

export function hasPublication(state: Partial<BundleMirrorState>): state is BundleMirrorState {
  return state.destination !== undefined && state.sha256 !== undefined && state.__publication !== undefined;
}
