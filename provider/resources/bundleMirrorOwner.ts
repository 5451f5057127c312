import type { BundleMirrorInputs, BundleMirrorState } from "../definitions/bundleMirror";
import { archiveFiles, siteListName } from "../mirror/layouts/fileNames";
import { type MirrorOwner, newPublicationId, type SavedPublication } from "../mirror/layouts/mirrorOwner";
import { isSamePlace } from "../storage/destination";

export function ownerOf(state: BundleMirrorState): MirrorOwner {
  const { jobId, __owner: owner, __publication: publication } = state;
  return { jobId, names: [owner], publication, saved: publicationOf(state, false) };
}

export function nextOwner(state: BundleMirrorState, jobId: string, name: string): MirrorOwner {
  return { ...ownerOf(state), jobId, names: [name, state.__owner], publication: newPublicationId() };
}

export function newOwner(
  { jobId, destination }: BundleMirrorInputs,
  name: string,
  replaced: BundleMirrorState | undefined,
): MirrorOwner {
  const isHere = replaced !== undefined && isSamePlace(replaced.destination, destination);
  return {
    jobId,
    names: replaced === undefined ? [name] : [name, replaced.__owner],
    publication: newPublicationId(),
    saved: isHere ? publicationOf(replaced, true) : undefined,
  };
}

function publicationOf(state: BundleMirrorState, isReplaced: boolean): SavedPublication {
  const { layout, jobId, format, sha256, __publication: publication, __outerFolder: outerFolder } = state;
  const files = layout === "site" ? [siteListName] : Object.values(archiveFiles(jobId, format));
  return { publication, sha256, files, isReplaced, outerFolder };
}
