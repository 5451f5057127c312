import type { BundleMirrorInputs, BundleMirrorState } from "../definitions/bundleMirror";
import { archiveFiles, siteManifestName } from "../mirror/layouts/fileNames";
import { type MirrorOwner, newKey } from "../mirror/layouts/mirrorOwner";
import { isSamePlace } from "../storage/destination";

/** The mirror of a state. */
export function ownerOf(state: BundleMirrorState): MirrorOwner {
  return { jobId: state.jobId, key: state.__key, files: state.__files, knownFiles: filesOf(state) };
}

/**
 * A new mirror. Its key is in no other place than the state: what a killed first run has left, the next one takes over only
 * where it is what it is about to publish.
 * @param replaced the state of the mirror in whose place it comes, where the run has seen it.
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

/** The names at the destination by which a mirror's files are known. */
function filesOf({ layout, jobId, format }: BundleMirrorState): string[] {
  return layout === "site" ? [siteManifestName] : Object.values(archiveFiles(jobId, format));
}
