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
   * A random secret that only the state contains, encrypted. Each publication has its own, so that no record of an earlier
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

/** The fields of every record that name its owner. Only a seal proves the owner. */
export interface Sealed {
  owner: string;
  /** An HMAC of the other fields for each publication whose state may remove what the record names. */
  seals: string[];
}

export function newPublication(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Seals a record for the publication, and for that of the state from which the run began: after a killed run, the state
 * still contains that one. A replaced resource loses its right when its successor is published.
 */
export function sealed<T extends object>(
  record: T,
  { publication, saved }: MirrorOwner,
  isPublished: boolean,
): T & Pick<Sealed, "seals"> {
  const earlier = saved === undefined || (isPublished && saved.isReplaced) ? [] : [saved.publication];
  const text = canonicalText(record);
  return { ...record, seals: [...new Set([...earlier, publication])].map((secret) => sealOf(secret, text)) };
}

/** Returns true if the record is as the publication of the state, or a run that began with that state, has written it. */
export function isSealed(record: Sealed, { saved }: MirrorOwner): boolean {
  return saved !== undefined && record.seals.includes(sealOf(saved.publication, canonicalText(record)));
}

function sealOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

function canonicalText({ seals: _, ...sealedFields }: { seals?: unknown }): string {
  return canonicalJson(sealedFields);
}

/**
 * Refuses a place if its record names another owner. That a place passes does not allow to overwrite what is there.
 * @param where the name of the record at the destination.
 * @throws DestinationError if the place belongs to another resource.
 */
export function requireOwnPlace(record: Sealed | undefined, owner: MirrorOwner, where: string): void {
  if (record !== undefined && !owner.names.includes(record.owner) && !isSealed(record, owner)) {
    throw new DestinationError({
      happened: `the destination belongs to another mirror: ${where} names ${quoted(record.owner, shownOwner)} as its owner`,
      remedy: `give each mirror its own destination, or destroy the other mirror first. If that mirror no longer exists, remove ${where} and the files beside it by hand; then run \`${words.run}\` again.`,
    });
  }
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
