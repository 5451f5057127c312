import { dropEntries } from "../journal/entries";
import type { Entry, Journal } from "../journal/journal";

/** The memory of one process about its starts. It needs no journal. */
export class StartLog {
  /** The names of the journal entries that this process has made, continued or asked about. */
  readonly touched = new Set<string>();
  /** The requests that this process has sent, by the entries' names. Its engine may call a create again. */
  readonly sent = new Map<string, Entry>();
  /** The names of the entries that the journal does not have. */
  readonly unwritten = new Set<string>();
  /** The ids of the jobs that creates have continued from the journal instead of starting new ones. */
  readonly continued = new Set<string>();
  readonly #left = new Map<string, Promise<readonly string[]>>();
  readonly #new = new Map<string, Promise<boolean>>();

  async write(journal: Journal, name: string, entry: Entry): Promise<void> {
    this.sent.set(name, entry);
    this.unwritten.add(name);
    await journal.write(name, JSON.stringify(entry));
    this.unwritten.delete(name);
  }

  drop(journal: Journal, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.sent.delete(name);
    }
    return dropEntries(journal, ...names);
  }

  /** Lists the entries of earlier processes once. Later runs find the entries that others add meanwhile. */
  entriesLeft(journal: Journal): Promise<readonly string[]> {
    const left = this.#left.get(journal.place) ?? journal.list("").catch(() => []);
    this.#left.set(journal.place, left);
    return left;
  }

  /** Returns true if the journal's place did not exist at the first question. A start creates it. */
  isNew(journal: Journal): Promise<boolean> {
    const isNew = this.#new.get(journal.place) ?? journal.isNew?.().catch(() => false) ?? Promise.resolve(false);
    this.#new.set(journal.place, isNew);
    return isNew;
  }
}
