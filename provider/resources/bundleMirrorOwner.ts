import type { BundleMirrorInputs, BundleMirrorState } from "../definitions/bundleMirror";
import { archiveFiles, siteManifestName } from "../mirror/layouts/fileNames";
import { type MirrorOwner, newKey } from "../mirror/layouts/mirrorOwner";
import { isSamePlace } from "../storage/destination";

/** Returns the identity of the mirror in a state. */
export function ownerOf(state: BundleMirrorState): MirrorOwner {
  return { jobId: state.jobId, key: state.__key, files: state.__files, knownFiles: filesOf(state) };
}

/**
 * Creates the identity of a new mirror. Only the state has its key. So the next run takes over the files of a killed
 * first run only if they equal the files that it is about to publish.
 * @param replaced the state of the mirror that this mirror replaces, if the run has seen it.
 */
export function newOwner(
  { jobId, destination }: BundleMirrorInputs,
  replaced: BundleMirrorState | undefined,
): MirrorOwner {
  const owner = { jobId, key: newKey() };
  return replaced === undefined
    ? owner
    : {
        ...owner,
        predecessor: ownerOf(replaced),
        knownFiles: isSamePlace(replaced.destination, destination) ? filesOf(replaced) : [],
      };
}

/** Returns the names of the files at the destination that identify the files of a mirror. */
function filesOf({ layout, jobId, format }: BundleMirrorState): string[] {
  return layout === "site" ? [siteManifestName] : Object.values(archiveFiles(jobId, format));
}
