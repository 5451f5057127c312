import { type Found, readEntries } from "../journal/entries";
import {
  type Entry,
  findEntry,
  type Journal,
  JournalPlaceError,
  UnreadableEntryError,
  writeEntry,
} from "../journal/journal";
import type { Owner } from "../journal/owner";
import type { Settings } from "../settings/settings";
import { journal as journalSetting } from "../settings/settingTable";
import { unlessInterrupted } from "../support/abort";
import { DocsPlatformError, InterruptedError, JournalError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { rests } from "../support/time/rests";
import type { Session } from "./session";

/**
 * The journal for one start: the entries for the same request, and the errors and warnings if the journal cannot be
 * used.
 */
export class StartJournal {
  readonly #session: Session;
  readonly #settings: Settings;
  /** The prefix of the names of all entries for the same request. */
  readonly #start: string;
  readonly #warn: (text: string) => void;

  constructor(session: Session, settings: Settings, start: string, warn: (text: string) => void) {
    this.#session = session;
    this.#settings = settings;
    this.#start = start;
    this.#warn = warn;
  }

  get journal(): Journal {
    return this.#session.world.journal(this.#settings.journal.place);
  }

  /**
   * Returns the entries for the same request.
   * @throws if they cannot be read.
   */
  async entries(isWanted: (name: string) => boolean): Promise<Found[]> {
    const names = (await this.journal.list(`${this.#start}.`)).filter(isWanted);
    return readEntries(this.journal, names, this.#session.world.clock.now());
  }

  /**
   * Returns the entries for the same request, before a start. If the journal does not work, this warns and returns no
   * entries, unless the journal is required.
   * @throws JournalError, InterruptedError
   */
  async look(isWanted: (name: string) => boolean): Promise<Found[]> {
    try {
      return await unlessInterrupted(this.entries(isWanted), this.#session.signal);
    } catch (error) {
      if (error instanceof InterruptedError) {
        throw error;
      }
      if (error instanceof UnreadableEntryError || this.#settings.journal.required) {
        throw this.unusable("read", error);
      }
      this.warnOnce(error);
      return [];
    }
  }

  write(name: string, entry: Entry): Promise<void> {
    return this.journal.write(name, writeEntry(entry));
  }

  /**
   * Waits for the answer that a process whose engine was killed still writes into its entry, and returns the entry.
   * @returns undefined if the entry is gone by then.
   * @throws JournalError if the owner is at work.
   */
  async whenSettled(found: Found): Promise<Found | undefined> {
    const { world, signal } = this.#session;
    const self = world.self(undefined);
    const end = Deadline.in(this.#settings.requestTimeout, world.clock);
    let entry: Found | undefined = found;
    for (let mayChange = true; mayChange && entry?.id === undefined && !isSame(found.owner, self); ) {
      // An owner that has ended meanwhile may have written its answer after the entry was read.
      mayChange = world.isRunning(found.owner) && !(await world.isAtWork(found.owner)) && !end.hasPassed;
      if (mayChange) {
        await world.clock.sleep(rests.entry, signal).catch(() => {
          throw new InterruptedError();
        });
      }
      const now: Entry | undefined = await findEntry(this.journal, found.name);
      entry = now && { ...now, name: found.name };
      mayChange &&= entry !== undefined;
    }
    if (entry !== undefined && !isSame(entry.owner, self) && (await world.isAtWork(entry.owner))) {
      throw this.busy(entry.owner);
    }
    return entry;
  }

  busy({ pid }: Owner): JournalError {
    return new JournalError({
      happened: `another run (process ${pid}) is sending the same request for a resource of this name; this run sent nothing`,
      remedy: `wait until that run ends, then run again. If the two resources only have the same name, give each run its own journal (${journalSetting.variable}).`,
    });
  }

  unusable(what: "read" | "written", error: unknown): DocsPlatformError {
    return error instanceof DocsPlatformError
      ? error
      : new JournalError({
          happened: `the journal in ${this.journal.place} cannot be ${what}: ${reasonOf(error)}; nothing was sent`,
          remedy:
            error instanceof JournalPlaceError
              ? error.remedy
              : `make it readable and writable for this run, or set another place in ${journalSetting.variable}.`,
        });
  }

  warnOnce(error: unknown, what = " what this run has started"): void {
    if (this.#session.once("warn of the journal")) {
      this.#warn(
        `the journal in ${this.journal.place} cannot be used (${reasonOf(error)}): if this run is killed or loses an answer, the next run does not know${what}, and may start it again. ${error instanceof JournalPlaceError ? `What to do: ${error.remedy}` : `What to do: set another place in ${journalSetting.variable}.`}`,
      );
    }
  }
}

function isSame(one: Owner, other: Owner): boolean {
  return one.host === other.host && one.pid === other.pid && one.began === other.began;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
