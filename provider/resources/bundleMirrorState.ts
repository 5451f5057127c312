import {
  type BundleMirrorInputs,
  type BundleMirrorState,
  bundleMirrorDefinition as definition,
} from "../definitions/bundleMirror";
import { inputsOfState } from "../definitions/definition";
import { archiveFileNames, siteFileListName } from "../mirror/layouts/fileNames";
import type { MirroredContent } from "../mirror/layouts/mirror";
import { generateMirrorOwnerSecret, type MirrorOwner, type PublicationInState } from "../mirror/layouts/mirrorOwner";
import { publicKeyFingerprint } from "../settings/signingKey";
import { isSamePlace } from "../storage/destination";
import { findPreviousSigningKey } from "./imageSigning";

type PlaceState = Pick<BundleMirrorState, "__origin" | "__owner" | "__publication" | "__address">;

export function makeMirrorState(
  inputs: BundleMirrorInputs,
  mirrored: MirroredContent,
  { __origin, __owner, __publication, __address }: PlaceState,
): BundleMirrorState {
  const { jobId, layout, publicUrl } = inputs;
  const { format, sha256, sizeBytes, mirroredAt, digest, signed, outerFolder } = mirrored;
  // The address of a site is the destination itself. The address of an archive also has the file's name.
  const entrance = layout === "site" ? "" : encodeURIComponent(archiveFileNames(jobId, format).archive);
  return {
    ...inputsOfState(definition, inputs),
    url: publicUrl === undefined ? __address : `${publicUrl.replace(/\/+$/, "")}/${entrance}`,
    sha256,
    sizeBytes,
    format,
    version: jobId,
    mirroredAt,
    ...(digest !== undefined && { digest }),
    ...(signed !== undefined && { signedBy: publicKeyFingerprint(signed.publicKey), __publicKey: signed.publicKey }),
    ...(outerFolder !== undefined && { __outerFolder: outerFolder }),
    __origin,
    __owner,
    __publication,
    __address,
  };
}

export function mirroredContentOf(state: BundleMirrorState): MirroredContent {
  const { format, sha256, sizeBytes, mirroredAt, digest, __outerFolder: outerFolder } = state;
  return { format, sha256, sizeBytes, mirroredAt, digest, signed: findPreviousSigningKey(state), outerFolder };
}

export function isCompleteMirrorState(state: Partial<BundleMirrorState>): state is BundleMirrorState {
  return state.destination !== undefined && state.sha256 !== undefined && state.__publication !== undefined;
}

export function ownerOf(state: BundleMirrorState): MirrorOwner {
  const { jobId, __owner: owner, __publication: publication } = state;
  return { jobId, names: [owner], publication, saved: publicationOf(state, false) };
}

export function ownerForNextPublication(state: BundleMirrorState, jobId: string, name: string): MirrorOwner {
  return { ...ownerOf(state), jobId, names: [name, state.__owner], publication: generateMirrorOwnerSecret() };
}

export function ownerForNewMirror(
  { jobId, destination }: BundleMirrorInputs,
  name: string,
  replaced: BundleMirrorState | undefined,
): MirrorOwner {
  const isHere = replaced !== undefined && isSamePlace(replaced.destination, destination);
  return {
    jobId,
    names: replaced === undefined ? [name] : [name, replaced.__owner],
    publication: generateMirrorOwnerSecret(),
    saved: isHere ? publicationOf(replaced, true) : undefined,
  };
}

function publicationOf(state: BundleMirrorState, isReplaced: boolean): PublicationInState {
  const { layout, jobId, format, sha256, __publication: publication, __outerFolder: outerFolder } = state;
  const files = layout === "site" ? [siteFileListName] : Object.values(archiveFileNames(jobId, format));
  return { publication, sha256, files, isReplaced, outerFolder };
}
