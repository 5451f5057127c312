import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "../../support/canonicalJson";
import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { quoted } from "../archive/error";
import type { OuterFolder } from "./outerFolder";

export interface MirrorOwner {
  jobId: string;
  /** The names of the resource: that of this run, and that of the state, which differs after a rename of the stack. */
  names: readonly string[];
  /**
   * A random secret that only the state contains, encrypted. Each publication has its own, so that no manifest of an earlier
   * publication counts again.
   */
  publication: string;
  saved?: SavedPublication | undefined;
}

export interface SavedPublication {
  publication: string;
  sha256: string;
  /** The names of the files that identify the publication at the destination. */
  files: readonly string[];
  /** True if it is of a resource that this one replaces, and that is deleted later. */
  isReplaced: boolean;
  outerFolder?: OuterFolder | undefined;
}

const shownOwner = 400;

/** The fields of every manifest that name its owner. Only a seal proves the owner. */
export interface Ownership {
  owner: string;
  /** An HMAC of the other fields for each publication whose state may remove what the manifest lists. */
  seals: string[];
}

export function newPublication(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Seals a manifest for the publication, and for that of the state from which the run began: after a killed run, the state
 * still contains that one. A replaced resource loses its right when its successor is published.
 */
export function sealed<T extends object>(
  manifest: T,
  { publication, saved }: MirrorOwner,
  isPublished: boolean,
): T & Pick<Ownership, "seals"> {
  const earlier = saved === undefined || (isPublished && saved.isReplaced) ? [] : [saved.publication];
  const text = canonicalText(manifest);
  return { ...manifest, seals: [...new Set([...earlier, publication])].map((secret) => sealOf(secret, text)) };
}

/** Returns true if the manifest is as the publication of the state, or a run that began with that state, has written it. */
export function isSealed(manifest: Ownership, { saved }: MirrorOwner): boolean {
  return saved !== undefined && manifest.seals.includes(sealOf(saved.publication, canonicalText(manifest)));
}

function sealOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

function canonicalText({ seals: _, ...sealedFields }: { seals?: unknown }): string {
  return canonicalJson(sealedFields);
}

/**
 * Refuses a place whose manifest names another owner. That a place passes does not allow to overwrite what is there.
 * @param where the name of the manifest at the destination.
 * @throws DestinationError if the place belongs to another resource.
 */
export function requireOwnPlace(manifest: Ownership | undefined, owner: MirrorOwner, where: string): void {
  if (manifest !== undefined && !owner.names.includes(manifest.owner) && !isSealed(manifest, owner)) {
    throw new DestinationError({
      happened: `the destination belongs to another mirror: ${where} names ${quoted(manifest.owner, shownOwner)} as its owner`,
      remedy: `give each mirror its own destination, or destroy the other mirror first. If that mirror no longer exists, remove ${where} and the files beside it by hand; then run \`${words.run}\` again.`,
    });
  }
}

/** The warning of a removal that removes nothing, since the manifest is not the one of the state's publication. */
export function filesStayText(where: string): string {
  return `nothing was removed: ${where} at the destination is not the one that this mirror wrote. If no later publication of the same resource has replaced it, remove the files of this mirror by hand.`;
}

export const maxNamedFiles = 3;

export function filesOfOthersError(names: readonly string[], remedy: string): DestinationError {
  // A folder lists its files in any order.
  const named = names
    .toSorted()
    .slice(0, maxNamedFiles)
    .map((name) => quoted(name))
    .join(", ");
  const more = names.length > maxNamedFiles ? " and others" : "";
  return new DestinationError({
    happened: `the destination contains files that do not belong to this mirror: ${named}${more}`,
    remedy: `${remedy}; then run \`${words.run}\` again. To replace the mirror whose files they are, set \`${words.deleteFirst}\`.`,
  });
}
