import { createHmac } from "node:crypto";

/** One mirror, as the files at a destination know it. */
export interface MirrorIdentity {
  /**
   * A random value, which the manifest names: a mirror that comes in the place of another one has another. Undefined
   * where only the key is known, of a run that was killed.
   */
  mirror?: string | undefined;
  /**
   * Seals the list of a site's files. It is in the state, and never at the destination: whoever can write there can write
   * a list, but none that is taken for this mirror's. Release 0.1.0 knew none.
   */
  key?: string | undefined;
}

/** Whose a mirror's files are. */
export interface MirrorOwner extends MirrorIdentity {
  jobId: string;
  mirror: string;
  /** What this one comes in the place of: a mirror that it replaces, a run that was killed. */
  predecessors?: readonly MirrorIdentity[];
  /** Names of an archive's files that are its own, or were those of what it replaces, whatever a manifest says. */
  knownFiles?: readonly string[];
}

/** What a manifest tells of the mirrors that it stands for. */
export interface Ownership {
  mirror: string;
  /** More mirrors of the same bytes, of other stacks or of one that is being replaced: the last one removes the files. */
  sharedWith?: string[] | undefined;
  /** Of a site, by mirror: the seal of the list of files. */
  seals?: Record<string, string> | undefined;
}

/** The mirrors of a manifest; none where its publication did not end. */
export function ownersOf({ mirror, sharedWith = [] }: Ownership): string[] {
  return [mirror, ...sharedWith].filter((one) => one !== "");
}

/** @returns what makes a manifest that of these mirrors; the first of them is the one that a release 0.1.0 would know. */
export function ownershipOf([mirror = "", ...sharedWith]: readonly string[]): Pick<Ownership, "mirror" | "sharedWith"> {
  return { mirror, ...(sharedWith.length > 0 && { sharedWith }) };
}

/** @param paths all that the manifest names. */
export function sealOf(key: string, paths: readonly string[]): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([...paths].sort()))
    .digest("hex");
}

/** Those of a manifest's mirrors that are the owner: itself, and what it comes in the place of. */
export function ownMirrorsIn(
  { seals = {}, ...manifest }: Ownership,
  paths: readonly string[],
  owner: MirrorOwner,
): string[] {
  const isOne = (id: string, { mirror = id, key }: MirrorIdentity) =>
    id === mirror && (key === undefined || seals[id] === sealOf(key, paths));
  return ownersOf(manifest).filter((id) => [owner, ...(owner.predecessors ?? [])].some((one) => isOne(id, one)));
}
