import { requestOf } from "../definitions/definition";
import { type RawValues, unknown } from "../definitions/values";
import { dropEntries, type Found, readEntries } from "../journal/entries";
import {
  addressPrefix,
  type Entry,
  entryNameParts,
  findEntry,
  isEntryName,
  type Journal,
  JournalPlaceError,
  startName,
  UnreadableEntryError,
} from "../journal/journal";
import type { Owner } from "../journal/owner";
import { beginTolerance } from "../resources/pendingStart";
import type { Resource } from "../resources/resource";
import type { GivenSettings } from "../settings/settings";
import { journal as journalSetting } from "../settings/settingTable";
import { unlessInterrupted } from "../support/abort";
import { DocsPlatformError, InterruptedError, JournalError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { delays } from "../support/time/delays";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";

export class StartJournal {
  constructor(
    private readonly session: Session,
    private readonly settings: Pick<GivenSettings, "journal" | "requestTimeout">,
    private readonly start: string,
    private readonly warn: (text: string) => void,
  ) {}

  /** @returns undefined if nothing is started, or if the request or the journal is not known. */
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
    return this.session.runtime.journal(this.settings.journal.place);
  }

  #read(names: readonly string[]): Promise<Found[]> {
    const own = names.filter((name) => name.startsWith(`${this.start}.`));
    return readEntries(this.journal, own, this.session.runtime.clock.now());
  }

  async #left(): Promise<Found[]> {
    return this.#read(await this.session.entriesLeft(this.journal)).catch(() => []);
  }

  /** The entries for this request, before a start. A journal that fails costs a warning, unless it is required. */
  async look(isWanted: (name: string) => boolean): Promise<Found[]> {
    try {
      const listed = this.journal.list(`${this.start}.`).then((names) => this.#read(names.filter(isWanted)));
      return await unlessInterrupted(listed, this.session.signal);
    } catch (error) {
      if (error instanceof InterruptedError) {
        throw error;
      }
      if (error instanceof UnreadableEntryError || this.settings.journal.required) {
        throw this.unusable("read", error);
      }
      this.warnOnce(error);
      return [];
    }
  }

  /** The entries for other requests of the same resource, which runs with other inputs have left. Never fails a start. */
  async leftByOthers(): Promise<Found[]> {
    const { journal, start } = this;
    const read = journal.list(addressPrefix(start)).then((names) => {
      const others = names.filter((name) => !name.startsWith(`${start}.`));
      return readEntries(journal, others, this.session.runtime.clock.now());
    });
    return read.catch(() => []);
  }

  write(name: string, entry: Entry): Promise<void> {
    return this.journal.write(name, JSON.stringify(entry));
  }

  async forget(id: string): Promise<void> {
    await dropEntries(this.journal, ...(await this.#left()).filter((entry) => entry.id === id).map(({ name }) => name));
  }

  /**
   * Removes what is settled when a resource uses the job `id` in place of a start.
   * @param begin when that job began by this machine's clock, if it is known; milliseconds since the epoch.
   */
  async settle(id: string, begin = Number.POSITIVE_INFINITY): Promise<void> {
    const { touched, runtime, sharesAddresses } = this.session;
    const isFree = (name: string) => !touched.has(name);
    const gone = (await this.#left()).filter(({ name, owner }) => isFree(name) && !runtime.isRunning(owner));
    const known = gone.filter((entry) => entry.id === id);
    // A job that began before a request was sent does not come from that request.
    const lost = gone.filter((entry) => entry.id === undefined && entry.intendedAt < begin + beginTolerance);
    // If resources share an address, the remaining entries may belong to other resources.
    const settled = sharesAddresses ? (known.length > 0 ? known : lost.slice(0, 1)) : gone;
    for (const { name } of settled) {
      // Another export that adopts a job at the same time settles another entry.
      touched.add(name);
    }
    await dropEntries(this.journal, ...settled.map(({ name }) => name));
  }

  /**
   * Waits for the answer that a process without its engine still writes. @returns undefined if the entry is gone.
   * @throws JournalError if the owner is at work.
   */
  async whenSettled(found: Found): Promise<Found | undefined> {
    const { runtime, signal } = this.session;
    const self = runtime.self(undefined);
    const end = Deadline.in(this.settings.requestTimeout, runtime.clock);
    let entry = found;
    while (!isSame(entry.owner, self)) {
      // A read after the end of the owner shows what it has written last.
      const mayChange = runtime.isRunning(entry.owner) && !end.hasPassed;
      const isAtWork = await runtime.isAtWork(entry.owner);
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
      await runtime.clock.sleep(delays.entry, signal).catch(() => {
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
          remedy: remedyOf(error),
        });
  }

  warnOnce(error: unknown, what = " what this run has started"): void {
    if (this.session.once("warn of the journal")) {
      this.warn(
        `the journal in ${this.journal.place} cannot be used (${reasonOf(error)}): if this run is killed or loses an answer, the next run does not know${what}, and may start it again. What to do: ${remedyOf(error)}`,
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

function remedyOf(error: unknown): string {
  return error instanceof JournalPlaceError
    ? error.remedy
    : `make it readable and writable for this run, or set another place in ${journalSetting.variable}.`;
}
