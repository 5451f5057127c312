import { createHash, randomBytes } from "node:crypto";

/** The facts about a mirror that only the state contains, and no destination. */
export interface MirrorIdentity {
  /**
   * A random secret. A destination contains only its digest (`nameOf`) and seals that are made with it (`sealOf`), so
   * that nobody who reads or writes there can act as this mirror.
   */
  key: string;
  /** For a published site: the digest of its list of files, see `listDigest`. */
  files?: string | undefined;
}

/** The mirror that owns files at a destination. */
export interface MirrorOwner extends MirrorIdentity {
  jobId: string;
  /** The mirror that this one replaces. */
  predecessor?: MirrorIdentity | undefined;
  /** The names of the files that the state lists as files of this mirror, or of the mirror that it replaces. */
  knownFiles?: readonly string[];
}

/** The mirrors that own the files of a manifest. This is a claim of the destination: alone it proves nothing. */
export interface Ownership {
  /** The name of the first mirror; empty until its publication has ended. */
  mirror: string;
  /**
   * The other mirrors of the same bytes, from other stacks or from a replacement in progress. The last mirror removes
   * the files.
   */
  sharedWith?: string[] | undefined;
}

export function newKey(): string {
  return randomBytes(16).toString("hex");
}

/** Returns the name of a mirror at a destination. */
export function mirrorNameOf({ key }: MirrorIdentity): string {
  return createHash("sha256").update(`mirror ${key}`).digest("hex").slice(0, 32);
}

/** Returns the mirrors of a manifest; none if its publication did not complete. */
export function ownersOf({ mirror, sharedWith = [] }: Ownership): string[] {
  return [mirror, ...sharedWith].filter((one) => one !== "");
}

/** @returns the manifest fields that name these mirrors. */
export function ownershipOf([mirror = "", ...sharedWith]: readonly string[]): Ownership {
  return { mirror, ...(sharedWith.length > 0 && { sharedWith }) };
}

/** Returns the owner itself, and the mirror that it replaces. */
export function identitiesOf(owner: MirrorOwner): MirrorIdentity[] {
  return [owner, ...(owner.predecessor ? [owner.predecessor] : [])];
}

/** Returns true if a manifest names the owner by the digest of its secret. */
export function isOwnerOf(owner: MirrorOwner, manifest: Ownership): boolean {
  return ownersOf(manifest).includes(mirrorNameOf(owner));
}

/** Returns the mirrors of a manifest, except the owner and the mirror that it replaces. */
export function othersIn(manifest: Ownership | undefined, owner: MirrorOwner): string[] {
  const own = identitiesOf(owner).map(mirrorNameOf);
  return manifest ? ownersOf(manifest).filter((mirror) => !own.includes(mirror)) : [];
}
