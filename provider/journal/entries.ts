import { formatDuration } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { type Entry, findEntry, isTooOld, type Journal } from "./journal";

export interface Found extends Entry {
  name: string;
}

/**
 * Returns those that are not too old, the oldest first. @throws if one is unreadable, or the time is up.
 * @param limit for reading all of them, in milliseconds; one more read may begin before it.
 */
export async function readEntries(
  journal: Journal,
  names: readonly string[],
  now: number,
  limit: number = timeLimits.journal,
): Promise<Found[]> {
  const begin = performance.now();
  const found: Found[] = [];
  for (const name of names) {
    if (performance.now() - begin > limit) {
      throw new Error(`its entries could not be read within ${formatDuration(limit)}`);
    }
    const entry = await findEntry(journal, name);
    if (entry !== undefined && !isTooOld(entry, now)) {
      found.push({ ...entry, name });
    }
  }
  return found.sort((a, b) => a.intendedAt - b.intendedAt || (a.name < b.name ? -1 : 1));
}

/** Removes entries. If that fails, a later run looks at them again, until they are too old. */
export async function dropEntries(journal: Journal, ...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => journal.remove(name).catch(() => {})));
}
