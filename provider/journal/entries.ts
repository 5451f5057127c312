import { formatDuration } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { type Entry, findEntry, isTooOld, type Journal, JournalPlaceError } from "./journal";

export interface Found extends Entry {
  name: string;
}

/** An entry that exists, but cannot be used: it is incomplete, or another user could have written it. */
export interface Unusable {
  name: string;
  why: unknown;
}

export function whyUnusable(name: string, why: unknown): Error {
  const happened = `${name}.json cannot be used: ${why instanceof Error ? why.message : why}`;
  return why instanceof JournalPlaceError ? new JournalPlaceError(happened, why.remedy) : new Error(happened);
}

/**
 * Returns the entries that are not too old, oldest first, and the entries that cannot be used.
 * @param limit the time limit for reading all entries, in milliseconds. A read that begins before the limit may end
 * after it.
 * @throws if the entries could not be read within the limit.
 */
export async function readEntries(
  journal: Journal,
  names: readonly string[],
  now: number,
  limit: number = timeLimits.journal,
): Promise<{ found: Found[]; unusable: Unusable[] }> {
  const begin = performance.now();
  const found: Found[] = [];
  const unusable: Unusable[] = [];
  for (const name of names) {
    if (performance.now() - begin > limit) {
      throw new Error(`its entries could not be read within ${formatDuration(limit)}`);
    }
    try {
      const entry = await findEntry(journal, name);
      if (entry !== undefined && !isTooOld(entry, now)) {
        found.push({ ...entry, name });
      }
    } catch (why) {
      unusable.push({ name, why });
    }
  }
  return { found: found.sort((a, b) => a.intendedAt - b.intendedAt || (a.name < b.name ? -1 : 1)), unusable };
}

/** Removes entries, and ignores failures. If an entry remains, later runs find it until it is too old. */
export async function dropEntries(journal: Journal, ...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => journal.remove(name).catch(() => {})));
}
