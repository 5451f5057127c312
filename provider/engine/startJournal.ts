import { requestOf } from "../definitions/definition";
import type { RawValues } from "../definitions/values";
import { dropEntries, type Found, readEntries, type Unusable, whyUnusable } from "../journal/entries";
import {
  addressPrefix,
  type Entry,
  entryNameParts,
  findEntry,
  isEntryName,
  type Journal,
  JournalPlaceError,
  startName,
} from "../journal/journal";
import type { Owner } from "../journal/owner";
import { beginTolerance } from "../resources/pendingStart";
import type { Resource } from "../resources/resource";
import type { GivenSettings, JournalSettings } from "../settings/settings";
import { journal as journalSetting } from "../settings/settingTable";
import { unlessInterrupted } from "../support/abort";
import { DocsPlatformError, InterruptedError, JournalError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { delays } from "../support/time/delays";
import { words } from "../support/words";
import type { Session } from "./session";

/** The settings of a start's record. */
export interface StartSettings {
  journal: JournalSettings;
  requestTimeout: number;
}

interface Seen {
  found: Found[];
  unusable: Unusable[];
}

export class StartJournal {
  /** The names of all entries of the resource. */
  #seen: readonly string[] = [];

  constructor(
    private readonly session: Session,
    private readonly settings: StartSettings,
    private readonly start: string,
    private readonly warn: (text: string) => void,
  ) {}

  /** @returns undefined if nothing is started, or if the request or the journal is not known. */
  static of(
    definition: Resource,
    { address, settings }: { address?: string | undefined; settings: GivenSettings },
    values: RawValues,
    session: Session,
  ): StartJournal | undefined {
    if (!settings.has("platform") || !settings.has("journal")) {
      return undefined;
    }
    const { baseUrl, requestTimeout } = settings.need("platform");
    // A host that gives no address to a deletion has the entry of its state.
    const own = isEntryName(values.__entry) ? entryNameParts(values.__entry).start : undefined;
    const request = definition.starts && requestOf(definition, values, baseUrl);
    const start = request === undefined || address === undefined ? own : startName(address, request);
    const given = { journal: settings.need("journal"), requestTimeout };
    return start === undefined ? undefined : new StartJournal(session, given, start, () => {});
  }

  get journal(): Journal {
    return this.session.runtime.journal(this.settings.journal.place);
  }

  #read(names: readonly string[]): Promise<Seen> {
    const own = names.filter((name) => name.startsWith(`${this.start}.`));
    return readEntries(this.journal, own, this.session.runtime.clock.now());
  }

  async #left(): Promise<Seen> {
    return this.#read(await this.session.entriesLeft(this.journal)).catch(() => ({ found: [], unusable: [] }));
  }

  /**
   * The entries for this request, before a start: those of the journal, and what this process itself has sent. A journal
   * that fails costs a warning, unless it is required.
   */
  async look(isWanted: (name: string) => boolean): Promise<Seen> {
    const sent = [...this.session.sentEntries].filter(([name]) => name.startsWith(`${this.start}.`) && isWanted(name));
    const own = new Map(sent);
    const isOther = ({ name }: { name: string }) => !own.has(name);
    const { found, unusable } = await this.#lookInJournal(isWanted);
    const known = sent.map(([name, entry]) => ({ ...entry, name }));
    return { found: [...found.filter(isOther), ...known], unusable: unusable.filter(isOther) };
  }

  async #lookInJournal(isWanted: (name: string) => boolean): Promise<Seen> {
    try {
      const listed = this.journal.list(addressPrefix(this.start)).then((names) => {
        this.#seen = names;
        return this.#read(names.filter(isWanted));
      });
      return await unlessInterrupted(listed, this.session.signal);
    } catch (error) {
      if (error instanceof InterruptedError) {
        throw error;
      }
      if (this.settings.journal.required) {
        throw this.unusable("read", error);
      }
      this.warnOnce(error);
      return { found: [], unusable: [] };
    }
  }

  /** The entries for other requests of the same resource that {@link look} has seen. Never fails a start. */
  async leftByOthers(): Promise<Found[]> {
    const others = this.#seen.filter((name) => !name.startsWith(`${this.start}.`));
    return readEntries(this.journal, others, this.session.runtime.clock.now()).then(
      ({ found }) => found,
      () => [],
    );
  }

  async write(name: string, entry: Entry): Promise<void> {
    const { sentEntries, unwritten } = this.session;
    sentEntries.set(name, entry);
    unwritten.add(name);
    await this.journal.write(name, JSON.stringify(entry));
    unwritten.delete(name);
  }

  drop(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.session.sentEntries.delete(name);
    }
    return dropEntries(this.journal, ...names);
  }

  async forget(id: string): Promise<void> {
    const { found } = await this.#left();
    await this.drop(...found.filter((entry) => entry.id === id).map(({ name }) => name));
  }

  /**
   * Removes what is settled when a resource uses the job `id` in place of a start.
   * @param begin when that job began by this machine's clock, if it is known; milliseconds since the epoch.
   */
  async settle(id: string, begin = Number.POSITIVE_INFINITY): Promise<void> {
    const { touched, runtime, sharesAddresses } = this.session;
    const isFree = (name: string) => !touched.has(name);
    const { found, unusable } = await this.#left();
    const gone = found.filter(({ name, owner }) => isFree(name) && !runtime.isRunning(owner));
    const known = gone.filter((entry) => entry.id === id);
    // A job that began before a request was sent does not come from that request.
    const lost = gone.filter((entry) => entry.id === undefined && entry.intendedAt < begin + beginTolerance);
    const torn = unusable.filter(({ name }) => isFree(name));
    // If resources share an address, the remaining entries may belong to other resources.
    const settled = sharesAddresses ? (known.length > 0 ? known : [...lost, ...torn].slice(0, 1)) : [...gone, ...torn];
    for (const { name } of settled) {
      // Another export that adopts a job at the same time settles another entry.
      touched.add(name);
    }
    await this.drop(...settled.map(({ name }) => name));
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
      const now = await findEntry(this.journal, found.name).catch((why: unknown) => {
        throw this.unusableEntry({ name: found.name, why });
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

  /** An entry for this request that cannot be used: what it says may be a start that goes on. */
  unusableEntry({ name, why }: Unusable): JournalError {
    const looks = `check on the platform if it took effect; if it did not, remove ${name}.json from the journal in ${this.journal.place}, then run \`${words.run}\` again.`;
    return new JournalError({
      happened: `an earlier run recorded the same request, and ${whyUnusable(name, why).message}; this run sent nothing`,
      remedy: why instanceof JournalPlaceError ? why.remedy : looks,
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
