import { dropEntries } from "../journal/entries";
import type { Entry, Journal } from "../journal/journal";

/** The memory of one process about its starts. It needs no journal. */
export class StartLog {
  /** The names of the journal's entries that this process has made, taken up or asked about. */
  readonly touched = new Set<string>();
  /** The entries of what this process has sent, by name: its engine may call a create again. */
  readonly sent = new Map<string, Entry>();
  /** The names of those that the journal does not have. */
  readonly unwritten = new Set<string>();
  /** The ids of the jobs that creates have taken from the journal instead of starting new ones. */
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

  /** Lists the entries of earlier processes, once: later runs find what others add meanwhile. */
  entriesLeft(journal: Journal): Promise<readonly string[]> {
    const left = this.#left.get(journal.place) ?? journal.list("").catch(() => []);
    this.#left.set(journal.place, left);
    return left;
  }

  /** Returns true if the journal's place did not exist when this was first asked: a start makes it. */
  isNew(journal: Journal): Promise<boolean> {
    const isNew = this.#new.get(journal.place) ?? journal.isNew?.().catch(() => false) ?? Promise.resolve(false);
    this.#new.set(journal.place, isNew);
    return isNew;
  }
}
