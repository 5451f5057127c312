import { createHash, randomBytes } from "node:crypto";

/** What the state knows of one mirror, and nothing at a destination tells. */
export interface MirrorIdentity {
  /**
   * A random secret. A destination holds its digest (`nameOf`) and seals that it makes (`sealOf`), so that whoever reads or
   * writes there cannot act as this mirror.
   */
  key: string;
  /** Of a published site: the digest of its list of files, see `listDigest`. */
  files?: string | undefined;
}

/** The mirror that owns files at a destination. */
export interface MirrorOwner extends MirrorIdentity {
  jobId: string;
  /** The mirror that this one replaces. */
  predecessor?: MirrorIdentity | undefined;
  /** Names of files that the state lists as its own, or as those of the mirror that it replaces. */
  knownFiles?: readonly string[];
}

/** The mirrors that a manifest belongs to. It is what a destination claims: it alone proves nothing. */
export interface Ownership {
  /** The name of the first one; empty until its publication has ended. */
  mirror: string;
  /** More mirrors of the same bytes, of other stacks or of a replacement in progress. The last one removes the files. */
  sharedWith?: string[] | undefined;
}

export function newKey(): string {
  return randomBytes(16).toString("hex");
}

/** The name of a mirror at a destination. */
export function nameOf({ key }: MirrorIdentity): string {
  return createHash("sha256").update(`mirror ${key}`).digest("hex").slice(0, 32);
}

/** The mirrors of a manifest; none if its publication did not complete. */
export function ownersOf({ mirror, sharedWith = [] }: Ownership): string[] {
  return [mirror, ...sharedWith].filter((one) => one !== "");
}

/** @returns the fields of a manifest of these mirrors. */
export function ownershipOf([mirror = "", ...sharedWith]: readonly string[]): Ownership {
  return { mirror, ...(sharedWith.length > 0 && { sharedWith }) };
}

/** The owner itself, and the mirror that it replaces. */
export function identitiesOf(owner: MirrorOwner): MirrorIdentity[] {
  return [owner, ...(owner.predecessor ? [owner.predecessor] : [])];
}

/** Whether a manifest names the owner by the digest of its secret. */
export function isOwnerOf(owner: MirrorOwner, manifest: Ownership): boolean {
  return ownersOf(manifest).includes(nameOf(owner));
}

/** The mirrors of a manifest beside the owner and the mirror that it replaces. */
export function othersIn(manifest: Ownership | undefined, owner: MirrorOwner): string[] {
  const own = identitiesOf(owner).map(nameOf);
  return manifest ? ownersOf(manifest).filter((mirror) => !own.includes(mirror)) : [];
}
