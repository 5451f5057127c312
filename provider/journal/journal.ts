import { createHash } from "node:crypto";
import { identifierProblem } from "../support/identifier";
import { type Owner, parseOwner } from "./owner";

/**
 * What is known about one request that may not be repeated. First it is about to be sent (intended); then the id of what it
 * started is known, too (accepted). An entry contains no key of the platform, no link and no domain.
 */
export interface Entry {
  /** The id of the job or the message that was started. Undefined until the answer has come. */
  id?: string;
  /** The value of the request's Idempotency-Key header. */
  idempotencyKey: string;
  owner: Owner;
  /** Milliseconds since the epoch. */
  writtenAt: number;
}

/** Where entries are kept: one for each name. Every method fails with an error that says why in one line. */
export interface Journal {
  /** The place, as it is shown to the user. */
  readonly place: string;
  /** True where each operation costs a request. */
  readonly isRemote: boolean;
  /**
   * Writes and syncs an entry, unless the name has one already.
   * @returns the entry that the name has already. An entry that is too old or cannot be understood is replaced.
   */
  add(name: string, entry: Entry): Promise<Entry | undefined>;
  /** Replaces an entry that was added or found by this process. */
  replace(name: string, entry: Entry): Promise<void>;
  find(name: string): Promise<Entry | undefined>;
  /** A missing entry is no error. */
  remove(name: string): Promise<void>;
}

/** An entry exists, but it cannot be read, so its content is unknown. */
export class UnreadableEntry extends Error {}

/** No entry is larger; bytes. */
export const largestEntry = 4_096;

/** After this time a user wants a new export; milliseconds, a week. */
const longestAge = 7 * 86_400_000;

export function writeEntry(entry: Entry): string {
  return JSON.stringify(entry);
}

/** Parses an entry. Its content is untrusted: an id is only used to ask the platform about it. */
export function readEntry(text: string): Entry | undefined {
  let value: Record<string, unknown>;
  try {
    value = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { id, idempotencyKey, writtenAt } = value;
  const owner = parseOwner(value.owner);
  const isId = id === undefined || (typeof id === "string" && identifierProblem(id) === undefined);
  const isKey = typeof idempotencyKey === "string" && /^[\w-]{1,64}$/.test(idempotencyKey);
  return owner && isId && isKey && typeof writtenAt === "number" && Number.isFinite(writtenAt)
    ? { ...(id !== undefined && { id }), idempotencyKey, owner, writtenAt }
    : undefined;
}

/** Entries of the future count as too old, too: after a clock was set back, they would otherwise stay for ever. */
export function isTooOld({ writtenAt }: { writtenAt: number }, now: number): boolean {
  return Math.abs(now - writtenAt) >= longestAge;
}

/** The name of a request of one resource. It is the same in each run, and shows neither the request nor the resource. */
export function entryName(urn: string, request: unknown): string {
  return `${digest(urn)}-${digest(request)}`;
}

/** Checks a name that comes from a state: only names of this form have an entry. */
export function isEntryName(name: unknown): name is string {
  return typeof name === "string" && /^[0-9a-f]{32}-[0-9a-f]{32}$/.test(name);
}

/** A hash of JSON values that does not depend on the order of an object's keys. */
export function digest(...parts: unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(parts.map(sorted)))
    .digest("hex")
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== "object" || value === null) {
    return value ?? null;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}
