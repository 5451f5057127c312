import { requestOf } from "../definitions/definition";
import { type RawValues, unknown } from "../definitions/values";
import { dropEntries, type Found, readEntries } from "../journal/entries";
import {
  type Entry,
  entryNameParts,
  findEntry,
  isEntryName,
  type Journal,
  JournalPlaceError,
  journalEntryName,
  startName,
  UnreadableEntryError,
  writeEntry,
} from "../journal/journal";
import type { Owner } from "../journal/owner";
import { beginTolerance } from "../resources/pendingStart";
import type { Resource } from "../resources/resource";
import type { GivenSettings } from "../settings/settings";
import { journal as journalSetting } from "../settings/settingTable";
import { unlessInterrupted } from "../support/abort";
import { DocsPlatformError, InterruptedError, JournalError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { rests } from "../support/time/rests";
import type { Left } from "./left";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";

/**
 * The journal for one start: the entries for the same request, and the errors and warnings if the journal cannot be
 * used.
 */
export class StartJournal {
  readonly #session: Session;
  readonly #settings: Pick<GivenSettings, "journal" | "requestTimeout">;
  /** The prefix of the names of all entries for the same request. */
  readonly #start: string;
  readonly #warn: (text: string) => void;

  constructor(
    session: Session,
    settings: Pick<GivenSettings, "journal" | "requestTimeout">,
    start: string,
    warn: (text: string) => void,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#start = start;
    this.#warn = warn;
  }

  /**
   * Returns the journal for what this state, or these inputs, ask for.
   * @returns undefined if nothing is started, or if the request or the journal is not known.
   */
  static of(
    definition: Resource,
    { address, settings }: { address?: string | undefined; settings: SettingsReader },
    values: RawValues,
    session: Session,
  ): StartJournal | undefined {
    const given = settings.journalPlace() === unknown ? [] : settings.read();
    if (Array.isArray(given)) {
      return undefined;
    }
    // A host that gives no address to a deletion has the entry of its state.
    const own = isEntryName(values.__entry) ? entryNameParts(values.__entry).start : undefined;
    const request = definition.starts && requestOf(definition, values, given.baseUrl);
    const start = request === undefined || address === undefined ? own : startName(address, request);
    return start === undefined ? undefined : new StartJournal(session, given, start, () => {});
  }

  get journal(): Journal {
    return this.#session.world.journal(this.#settings.journal.place);
  }

  /** Returns those of these entries that are for the same request. */
  #read(names: readonly string[]): Promise<Found[]> {
    const own = names.filter((name) => name.startsWith(`${this.#start}.`));
    return readEntries(this.journal, own, this.#session.world.clock.now());
  }

  /** Returns the entries for the same request that earlier processes left; none if they cannot be read. */
  async #left(): Promise<Found[]> {
    return this.#read(await this.#session.entriesLeft(this.journal)).catch(() => []);
  }

  /**
   * Returns the entries for the same request, before a start. If the journal does not work, this warns and returns no
   * entries, unless the journal is required.
   * @throws JournalError, InterruptedError
   */
  async look(isWanted: (name: string) => boolean): Promise<Found[]> {
    try {
      const listed = this.journal.list(`${this.#start}.`).then((names) => this.#read(names.filter(isWanted)));
      return await unlessInterrupted(listed, this.#session.signal);
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
   * Records that the next create continues this.
   * @param planned true if a state has it until then.
   * @param mayBeNew false if this is recorded only where an earlier process has an entry about it.
   */
  async continueLater(left: Left, { planned = false, mayBeNew = true } = {}): Promise<void> {
    const { id, entry } = left;
    const found = (await this.#left()).find((each) => each.id === id);
    if (found === undefined && !mayBeNew) {
      return;
    }
    const own = isEntryName(entry) && entryNameParts(entry).start === this.#start ? entry : undefined;
    const { world } = this.#session;
    const former = found?.name ?? own;
    const { handedOver: _, planned: __, ...known } = found ?? this.entryAbout(left);
    // A process whose engine is gone may still write the entry that it has made.
    const isOthers = found !== undefined && world.isRunning(found.owner);
    const name = isOthers || former === undefined ? journalEntryName(this.#start, world.newId().slice(-12)) : former;
    // The next start warns about a journal that cannot be written.
    await this.write(name, { ...known, ...(planned && { planned }) }).catch(() => {});
  }

  /** Removes these entries: no create continues what they are about. */
  async forget(isGone: (entry: Found) => boolean): Promise<void> {
    await dropEntries(this.journal, ...(await this.#left()).filter(isGone).map(({ name }) => name));
  }

  /**
   * Removes what is settled once a resource uses something else in place of a start: a start whose answer was lost, or
   * what earlier runs have started for it.
   * @param begin its begin by this machine's clock, if it is known; milliseconds since the epoch.
   */
  async settle(id: string, begin = Number.POSITIVE_INFINITY): Promise<void> {
    const { touched, world, sharesAddresses } = this.#session;
    const isFree = (name: string) => !touched.has(name);
    const gone = (await this.#left()).filter(({ name, owner }) => isFree(name) && !world.isRunning(owner));
    const known = gone.filter((entry) => entry.id === id);
    // A job that began before a request was sent does not come from that request.
    const lost = gone.filter(
      (entry) => entry.id === undefined && !this.isDismissed(entry.name) && entry.intendedAt < begin + beginTolerance,
    );
    // If resources share an address, the remaining entries may belong to other resources.
    const settled = sharesAddresses ? (known.length > 0 ? known : lost.slice(0, 1)) : gone;
    for (const { name } of settled) {
      // Another export that adopts a job at the same time settles another entry.
      touched.add(name);
    }
    await dropEntries(this.journal, ...settled.map(({ name }) => name));
  }

  /** Returns true if the user has said that this start had no effect. */
  isDismissed(name: string): boolean {
    return this.#settings.journal.notStarted.includes(entryNameParts(name).intent);
  }

  /** Returns an entry about this, for a journal that has none. */
  entryAbout({ id, since, isAdopted, isAnswered }: Left): Entry {
    const { world } = this.#session;
    const intendedAt = since ?? world.clock.now();
    return {
      intendedAt,
      idempotencyKey: world.newId(),
      owner: world.self(this.#session.engineAddress()),
      id,
      ...(isAnswered && { acceptedAt: intendedAt }),
      ...(isAdopted && { adopted: true }),
    };
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
    let entry = found;
    while (!isSame(entry.owner, self)) {
      // A read after the end of the owner shows what it has written last.
      const mayChange = world.isRunning(entry.owner) && !end.hasPassed;
      const isAtWork = await world.isAtWork(entry.owner);
      const now = await findEntry(this.journal, found.name).catch((error: unknown) => {
        throw this.unusable("read", error);
      });
      if (now === undefined) {
        return undefined;
      }
      entry = { ...now, name: found.name };
      if (isAtWork) {
        throw this.busy(entry.owner);
      }
      if (entry.id !== undefined || !mayChange) {
        return entry;
      }
      await world.clock.sleep(rests.entry, signal).catch(() => {
        throw new InterruptedError();
      });
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
