import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "../../support/canonicalJson";
import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { quoted } from "../archive/archiveError";
import type { OuterFolder } from "./outerFolder";

export interface MirrorOwner {
  jobId: string;
  /** The names of the resource in this run and in the state. They differ if the stack was renamed. */
  names: readonly string[];
  /**
   * A random secret. Only the state contains it, encrypted. Each publication has a new secret, which makes the record
   * of an earlier publication invalid.
   */
  publication: string;
  saved?: SavedPublication | undefined;
}

export interface SavedPublication {
  publication: string;
  sha256: string;
  /** The names of the files that identify the publication at the destination. */
  files: readonly string[];
  /** True if the publication belongs to another resource, which this mirror replaces and which is deleted later. */
  isReplaced: boolean;
  outerFolder?: OuterFolder | undefined;
}

const shownOwner = 400;

/** The fields by which every record names its owner. A name is only a claim. The seal proves who owns the record. */
export interface SealedRecord {
  owner: string;
  /**
   * Each publication that may remove the content of the record has a seal here. A seal is an HMAC of the other fields.
   * The key is the secret of the publication.
   */
  seals: string[];
}

export function newPublicationId(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Adds two seals to a record: the seal of this publication, and the seal of the publication that the state names. If
 * the run is killed, the state keeps the earlier secret, and only the second seal shows the next run that the record
 * belongs to this mirror. If this mirror replaces another resource, the record gets no second seal after the content is
 * complete. So the other resource cannot remove the content.
 */
export function sealRecord<T extends object>(
  record: T,
  { publication, saved }: MirrorOwner,
  isPublished: boolean,
): T & Pick<SealedRecord, "seals"> {
  const earlier = saved === undefined || (isPublished && saved.isReplaced) ? [] : [saved.publication];
  const text = canonicalText(record);
  return { ...record, seals: [...new Set([...earlier, publication])].map((secret) => sealOf(secret, text)) };
}

/**
 * Returns true if the record has the seal of the publication that the state names. Then either that publication or a
 * later run that began with this state has written the record.
 */
export function hasSavedPublicationSeal(record: SealedRecord, { saved }: MirrorOwner): boolean {
  return saved !== undefined && record.seals.includes(sealOf(saved.publication, canonicalText(record)));
}

function sealOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

function canonicalText({ seals: _, ...sealedFields }: { seals?: unknown }): string {
  return canonicalJson(sealedFields);
}

/**
 * Refuses a destination if its record names another owner. If no error is thrown, the content may still belong to
 * somebody else.
 * @param where the name of the record at the destination.
 * @throws DestinationError if the destination belongs to another resource.
 */
export function requireOwnPlace(record: SealedRecord | undefined, owner: MirrorOwner, where: string): void {
  if (record !== undefined && !owner.names.includes(record.owner) && !hasSavedPublicationSeal(record, owner)) {
    throw new DestinationError({
      happened: `the destination belongs to another mirror: ${where} names ${quoted(record.owner, shownOwner)} as its owner`,
      remedy: `give each mirror its own destination, or destroy the other mirror first. If that mirror no longer exists, remove ${where} and the files beside it by hand; then run \`${words.run}\` again.`,
    });
  }
}

export const maxNamedFiles = 3;

export function filesOfOthersError(names: readonly string[], remedy: string): DestinationError {
  // The names are sorted, because a folder lists its files in an undefined order.
  const named = names
    .toSorted()
    .slice(0, maxNamedFiles)
    .map((name) => quoted(name))
    .join(", ");
  const more = names.length > maxNamedFiles ? " and others" : "";
  return new DestinationError({
    happened: `the destination contains files that do not belong to this mirror: ${named}${more}`,
    remedy: `${remedy}; then run \`${words.run}\` again. To replace the mirror that owns the files, set \`${words.deleteFirst}\`.`,
  });
}
