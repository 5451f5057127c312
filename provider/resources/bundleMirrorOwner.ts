import { randomBytes } from "node:crypto";
import { archiveFiles, siteManifestName } from "../mirror/layouts/fileNames";
import type { MirrorOwner } from "../mirror/layouts/mirrorOwner";
import { isSamePlace } from "../mirror/stores/destination";
import type { BundleMirrorInputs, BundleMirrorState } from "./bundleMirrorState";
import type { Context } from "./lifecycle";

/** The mirror of a state. */
export function ownerOf(state: BundleMirrorState): MirrorOwner {
  return { jobId: state.jobId, mirror: state.__mirror, key: state.__key, knownFiles: filesOf(state) };
}

/** The same for an update, after which a site's list of files is sealed, also where it was not until then. */
export function updatedOwner(state: BundleMirrorState, { jobId }: BundleMirrorInputs): MirrorOwner {
  const owner = ownerOf(state);
  return state.layout === "site" && owner.key === undefined
    ? { ...owner, jobId, key: randomKey(), predecessors: [{ mirror: owner.mirror }] }
    : { ...owner, jobId };
}

/**
 * A new mirror. The key of a site is recorded before anything is put there, so that the run after a killed one knows what
 * that one has left.
 * @param replaced the state of the mirror in whose place it comes, where the run has seen it.
 */
export async function newOwner(
  inputs: BundleMirrorInputs,
  context: Context,
  replaced: BundleMirrorState | undefined,
): Promise<MirrorOwner> {
  const owner = { jobId: inputs.jobId, mirror: randomKey(), ...(replaced && comesInPlaceOf(replaced, inputs)) };
  if (inputs.layout !== "site") {
    return owner;
  }
  const key = await context.pendingStart({ mirror: inputs.destination }).claim(randomKey());
  return { ...owner, key, predecessors: [...(owner.predecessors ?? []), { key }] };
}

function comesInPlaceOf(
  replaced: BundleMirrorState,
  { destination }: BundleMirrorInputs,
): Pick<MirrorOwner, "predecessors" | "knownFiles"> {
  const { mirror, key } = ownerOf(replaced);
  return {
    predecessors: [{ mirror, key }],
    knownFiles: isSamePlace(replaced.destination, destination) ? filesOf(replaced) : [],
  };
}

/** The names at the destination by which a mirror's files are known. */
function filesOf({ layout, jobId, format }: BundleMirrorState): string[] {
  return layout === "site" ? [siteManifestName] : Object.values(archiveFiles(jobId, format));
}

function randomKey(): string {
  return randomBytes(8).toString("hex");
}
