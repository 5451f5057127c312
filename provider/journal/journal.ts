import { hash } from "node:crypto";
import { canonicalJson } from "../support/canonicalJson";
import { identifierProblem } from "../support/identifier";
import { parseJsonObject } from "../support/parseJsonObject";
import { formatDuration } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { type OwnerProcess, parseOwnerProcess } from "./ownerProcess";

/**
 * The record of one request that may not be repeated. It is written before the request is sent. After the answer, it
 * also has the id of the created job or message. It contains no API key, no link and no domain. Times are milliseconds
 * since the epoch.
 */
export interface JournalEntry {
  intendedAt: number;
  idempotencyKey: string;
  owner: OwnerProcess;
  id?: string | undefined;
  acceptedAt?: number | undefined;
  platformTime?: number | undefined;
  /** True if the run ended normally. The host has then received the result of the request. */
  handedOver?: true | undefined;
}

/** A store of texts by name. No two processes write the same entry at the same time. An error's message is one line. */
export interface Journal {
  readonly place: string;
  /** True if each operation costs a request. */
  readonly isRemote: boolean;
  /** Returns true if this machine has never kept an entry. A journal that several machines share lacks this method. */
  isNew?(): Promise<boolean>;
  /** The result must contain every entry that was written before the call. */
  list(prefix: string): Promise<string[]>;
  /** @throws if the entry exists, but cannot be read. */
  read(name: string): Promise<string | undefined>;
  /** Writes an entry completely or not at all. When the promise resolves, the entry is stored. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export class UnusableJournalError extends Error {
  constructor(
    happened: string,
    readonly remedy: string,
  ) {
    super(happened);
  }
}

export const journalEntryByteLimit = 4_096;

/** A week, in milliseconds: the age at which an entry expires, because a user then wants a new export. */
const longestAge = 7 * 86_400_000;

/** @returns undefined if the text is not an entry. The id may be forged. It serves only to ask the platform. */
export function parseJournalEntry(text: string): JournalEntry | undefined {
  const {
    intendedAt,
    idempotencyKey,
    id,
    acceptedAt,
    platformTime,
    handedOver,
    owner: by,
  } = parseJsonObject(text) ?? {};
  const owner = parseOwnerProcess(by);
  const isKey = typeof idempotencyKey === "string" && /^[\w-]{1,64}$/.test(idempotencyKey);
  const isId = id === undefined || (typeof id === "string" && identifierProblem(id) === undefined);
  const areTimes = isTime(intendedAt) && isTimeOrMissing(acceptedAt) && isTimeOrMissing(platformTime);
  if (owner === undefined || !isKey || !isId || !areTimes) {
    return undefined;
  }
  return {
    intendedAt,
    idempotencyKey,
    owner,
    id,
    acceptedAt,
    platformTime,
    handedOver: handedOver === true || undefined,
  };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Date.UTC(10_000);
}

function isTimeOrMissing(value: unknown): value is number | undefined {
  return value === undefined || isTime(value);
}

/** @throws if the entry cannot be used: it is then unknown whether its request was sent. */
export async function findEntry(journal: Journal, name: string): Promise<JournalEntry | undefined> {
  const text = await journal.read(name);
  const entry = text === undefined ? undefined : parseJournalEntry(text);
  if (text !== undefined && entry === undefined) {
    throw new Error("it was cut off, or a newer version of this provider, or another program, wrote it");
  }
  return entry;
}

export interface JournalEntryWithName extends JournalEntry {
  name: string;
}

/** An entry that exists, but cannot be used: it is incomplete, or another user could have written it. */
export interface UnusableEntry {
  name: string;
  why: unknown;
}

export function asUnusableEntryError(name: string, why: unknown): Error {
  const happened = `${name}.json cannot be used: ${why instanceof Error ? why.message : why}`;
  return why instanceof UnusableJournalError ? new UnusableJournalError(happened, why.remedy) : new Error(happened);
}

/**
 * Returns the entries that are not expired, oldest first, and the entries that cannot be used.
 * @param limit in milliseconds: no read begins later.
 * @throws if not every read could begin in time.
 */
export async function readEntries(
  journal: Journal,
  names: readonly string[],
  now: number,
  limit: number = timeLimits.journal,
): Promise<{ found: JournalEntryWithName[]; unusable: UnusableEntry[] }> {
  const begin = performance.now();
  const found: JournalEntryWithName[] = [];
  const unusable: UnusableEntry[] = [];
  for (const name of names) {
    if (performance.now() - begin > limit) {
      throw new Error(`its entries could not be read within ${formatDuration(limit)}`);
    }
    try {
      const entry = await findEntry(journal, name);
      if (entry !== undefined && !isEntryExpired(entry, now)) {
        found.push({ ...entry, name });
      }
    } catch (why) {
      unusable.push({ name, why });
    }
  }
  return { found: found.sort((a, b) => a.intendedAt - b.intendedAt || (a.name < b.name ? -1 : 1)), unusable };
}

/** Removes entries, and ignores failures, because a remaining entry expires after a week. */
export async function dropEntries(journal: Journal, ...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => journal.remove(name).catch(() => {})));
}

export function isEntryExpired({ intendedAt, platformTime = intendedAt }: JournalEntry, now: number): boolean {
  return now - platformTime >= longestAge;
}

/** Returns the prefix of all entry names for one request of one resource. */
export function startEntryPrefix(address: string, request: unknown): string {
  return `${digest(address)}-${digest(request)}`;
}

export function entryNameHasResourcePrefix(name: string, start: string): boolean {
  return name.startsWith(resourceEntryNamePrefix(start));
}

export function resourceEntryNamePrefix(startEntryNamePrefix: string): string {
  return startEntryNamePrefix.slice(0, startEntryNamePrefix.indexOf("-") + 1);
}

/** @param intent 12 hexadecimal digits that are different for each entry. */
export function journalEntryName(start: string, intent: string): string {
  return `${start}.${intent}`;
}

const namePattern = /^([0-9a-f]{32}-[0-9a-f]{32})\.([0-9a-f]{12})$/;

export function isEntryName(name: unknown): name is string {
  return typeof name === "string" && namePattern.test(name);
}

export function parseEntryFileName(name: string): { start: string; intent: string } {
  const [, start = "", intent = ""] = namePattern.exec(name) ?? [];
  return { start, intent };
}

export function digest(...parts: unknown[]): string {
  return hash("sha256", canonicalJson(parts)).slice(0, 32);
}
