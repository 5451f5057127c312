import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "../../support/canonicalJson";
import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { quoteForMessage } from "../archive/archiveError";
import type { OuterFolderDecision } from "./outerFolder";

export interface MirrorOwner {
  jobId: string;
  /** The names of the resource in this run and in the state. They differ if the stack was renamed. */
  names: readonly string[];
  /** A random secret for the seal, encrypted in the state. */
  publication: string;
  saved?: PublicationInState | undefined;
}

export interface PublicationInState {
  publication: string;
  sha256: string;
  /** The names of the files that identify the publication at the destination. */
  files: readonly string[];
  /** True if the new mirror replaces the resource that made this publication. */
  isReplaced: boolean;
  outerFolder?: OuterFolderDecision | undefined;
}

const shownOwner = 400;

/** `owner` is only a claim. The seal proves who owns the record. */
export interface HmacSealedRecord {
  owner: string;
  /**
   * Each seal is an HMAC of the other fields. A mirror may remove the content only if its state has the secret of a
   * seal.
   */
  seals: string[];
}

export function generateMirrorOwnerSecret(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Adds a seal with the new secret, and usually a second seal with the old secret from the state. If this run is killed,
 * the next run knows only the old secret. A published replacement gets no seal with the old secret. Otherwise, the
 * deletion of the old resource would remove the new content.
 */
export function addHmacSeals<T extends object>(
  record: T,
  { publication, saved }: MirrorOwner,
  isPublished: boolean,
): T & Pick<HmacSealedRecord, "seals"> {
  const earlier = saved === undefined || (isPublished && saved.isReplaced) ? [] : [saved.publication];
  const text = canonicalText(record);
  return { ...record, seals: [...new Set([...earlier, publication])].map((secret) => sealOf(secret, text)) };
}

/** Returns true if the record comes from the publication in the state, or from a later run with this state. */
export function isSealedByPublicationInState(record: HmacSealedRecord, { saved }: MirrorOwner): boolean {
  return saved !== undefined && record.seals.includes(sealOf(saved.publication, canonicalText(record)));
}

function sealOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

function canonicalText({ seals: _, ...sealedFields }: { seals?: unknown }): string {
  return canonicalJson(sealedFields);
}

/**
 * @param where the record's name, for the error.
 * @throws DestinationError if the record belongs to another resource.
 */
export function requireOwnDestination(record: HmacSealedRecord | undefined, owner: MirrorOwner, where: string): void {
  if (record !== undefined && !owner.names.includes(record.owner) && !isSealedByPublicationInState(record, owner)) {
    throw new DestinationError({
      happened: `the destination belongs to another mirror: ${where} names ${quoteForMessage(record.owner, shownOwner)} as its owner`,
      remedy: `give each mirror its own destination, or destroy the other mirror first. If that mirror no longer exists, remove ${where} and the files beside it by hand; then run \`${words.run}\` again.`,
    });
  }
}

export const maxFilesPerError = 3;

export function filesOfOthersError(names: readonly string[], remedy: string): DestinationError {
  // The names in a folder come in any order, but an error must always show the same ones.
  const named = names
    .toSorted()
    .slice(0, maxFilesPerError)
    .map((name) => quoteForMessage(name))
    .join(", ");
  const more = names.length > maxFilesPerError ? " and others" : "";
  return new DestinationError({
    happened: `the destination contains files that do not belong to this mirror: ${named}${more}`,
    remedy: `${remedy}; then run \`${words.run}\` again. To replace the mirror that owns the files, set \`${words.deleteFirst}\`.`,
  });
}
