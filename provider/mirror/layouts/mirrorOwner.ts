import { createHmac } from "node:crypto";

/** The identity of one mirror in the files at a destination. */
export interface MirrorIdentity {
  /**
   * A random value that the manifest contains. A mirror that replaces another one has a new value. Undefined for a killed
   * run, of which only the key is known.
   */
  mirror?: string | undefined;
  /**
   * The secret key of the HMAC that seals the list of a site's files. It is in the state, and never at the destination: a
   * list that somebody else writes there has no valid seal. Release 0.1.0 had no keys.
   */
  key?: string | undefined;
}

/** The mirror that owns files at a destination. */
export interface MirrorOwner extends MirrorIdentity {
  jobId: string;
  mirror: string;
  /** The mirrors that this one takes over from: one that it replaces, one of a killed run. */
  predecessors?: readonly MirrorIdentity[];
  /**
   * Names of files that the state lists as its own, or as those of the mirror that it replaces. They need no manifest.
   */
  knownFiles?: readonly string[];
}

/** The mirrors that a manifest belongs to. */
export interface Ownership {
  mirror: string;
  /**
   * More mirrors of the same bytes, of other stacks or of a replacement in progress. The last one removes the files.
   */
  sharedWith?: string[] | undefined;
  /** Sites only: the seal of the list of files, by mirror. */
  seals?: Record<string, string> | undefined;
}

/** The mirrors of a manifest; none if its publication did not complete. */
export function ownersOf({ mirror, sharedWith = [] }: Ownership): string[] {
  return [mirror, ...sharedWith].filter((one) => one !== "");
}

/** @returns the fields of a manifest of these mirrors. Release 0.1.0 reads only the first one. */
export function ownershipOf([mirror = "", ...sharedWith]: readonly string[]): Pick<Ownership, "mirror" | "sharedWith"> {
  return { mirror, ...(sharedWith.length > 0 && { sharedWith }) };
}

/** @param paths all paths in the manifest. */
export function sealOf(key: string, paths: readonly string[]): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([...paths].sort()))
    .digest("hex");
}

/** Returns the manifest's mirrors that are the owner itself, or its predecessors. */
export function ownMirrorsIn(
  { seals = {}, ...manifest }: Ownership,
  paths: readonly string[],
  owner: MirrorOwner,
): string[] {
  const isOne = (id: string, { mirror = id, key }: MirrorIdentity) =>
    id === mirror && (key === undefined || seals[id] === sealOf(key, paths));
  return ownersOf(manifest).filter((id) => [owner, ...(owner.predecessors ?? [])].some((one) => isOne(id, one)));
}
