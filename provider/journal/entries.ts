import { type Entry, findEntry, isTooOld, type Journal } from "./journal";

/** An entry with its name. */
export interface Found extends Entry {
  name: string;
}

/**
 * Returns the entries of these names that are not too old, the oldest first.
 * @throws UnreadableEntryError
 */
export async function readEntries(journal: Journal, names: readonly string[], now: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of names) {
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
