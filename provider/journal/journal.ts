import { createHash } from "node:crypto";
import { identifierProblem } from "../support/identifier";
import { type Owner, parseOwner } from "./owner";

/**
 * What is known of one request that may not be repeated: first that it is about to be sent (intended), then also the id
 * of what it started (accepted). It holds no key of the platform, no link and no domain.
 */
export interface Entry {
  /** What was started: a job's or a message's id. Undefined while the answer has not come. */
  id?: string;
  /** The value of the request's Idempotency-Key header. */
  idempotencyKey: string;
  owner: Owner;
  /** Milliseconds since the epoch. */
  writtenAt: number;
}

/** Where entries are kept, one under each name. Every method fails with an error that says why in one line. */
export interface Journal {
  /** The place, for a person. */
  readonly place: string;
  /** True where a look costs a request. */
  readonly isRemote: boolean;
  /**
   * Writes an entry, and syncs it, where the name has none.
   * @returns the entry that the name has already. One that is too old or cannot be understood is replaced.
   */
  add(name: string, entry: Entry): Promise<Entry | undefined>;
  /** Replaces an entry that was added or found by this process. */
  replace(name: string, entry: Entry): Promise<void>;
  find(name: string): Promise<Entry | undefined>;
  /** What is missing already is no error. */
  remove(name: string): Promise<void>;
}

/** An entry exists, and cannot be read: nobody knows what it says. */
export class UnreadableEntry extends Error {}

/** No entry is as large; bytes. */
export const largestEntry = 4_096;

/** Who comes back after this long wants a new export; milliseconds, a week. */
const longestAge = 7 * 86_400_000;

export function writeEntry(entry: Entry): string {
  return JSON.stringify(entry);
}

/** What is read is untrusted: an id is good for asking the platform about it, and for nothing else. */
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

/** A clock that was set back leaves entries of the future, which would never grow old. */
export function isTooOld({ writtenAt }: { writtenAt: number }, now: number): boolean {
  return Math.abs(now - writtenAt) >= longestAge;
}

/** The name of a request of one resource: the same in each run, and telling nothing of either. */
export function entryName(urn: string, request: unknown): string {
  return `${digest(urn)}-${digest(request)}`;
}

/** What a state names may be anything; only this form leads to an entry. */
export function isEntryName(name: unknown): name is string {
  return typeof name === "string" && /^[0-9a-f]{32}-[0-9a-f]{32}$/.test(name);
}

/** The same for the same things, whatever the order of an object's keys. */
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
