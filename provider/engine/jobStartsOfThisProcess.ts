import { dropEntries, type Journal, type JournalEntry } from "../journal/journal";

/** The facts that one process remembers about its starts. They are known even without a journal. */
export class JobStartsOfThisProcess {
  /** The names of the entries that this process has written, continued or deleted, or has asked the user about. */
  readonly touched = new Set<string>();
  /** By name. They are needed because the engine may repeat a create in the same process. */
  readonly sent = new Map<string, JournalEntry>();
  /** The names of the entries that this process could not write to the journal. */
  readonly unwritten = new Set<string>();
  /** The ids of the jobs in the journal that a create has continued, instead of starting a new job. */
  readonly continued = new Set<string>();
  readonly #left = new Map<string, Promise<readonly string[]>>();
  readonly #new = new Map<string, Promise<boolean>>();

  async write(journal: Journal, name: string, entry: JournalEntry): Promise<void> {
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

  /** Lists the journal once per process. A later run handles the entries that other processes add. */
  entriesLeft(journal: Journal): Promise<readonly string[]> {
    const left = this.#left.get(journal.place) ?? journal.list("").catch(() => []);
    this.#left.set(journal.place, left);
    return left;
  }

  /** Later calls repeat the first answer. After the first start, the journal has a folder, and would not look new. */
  isNew(journal: Journal): Promise<boolean> {
    const isNew = this.#new.get(journal.place) ?? journal.isNew?.().catch(() => false) ?? Promise.resolve(false);
    this.#new.set(journal.place, isNew);
    return isNew;
  }
}
