import {
  type Entry,
  entryName,
  findEntry,
  isEntryName,
  isTooOld,
  type Journal,
  OpenPlace,
  partsOf,
  startName,
  UnreadableEntry,
  writeEntry,
} from "../journal/journal";
import type { Owner } from "../journal/owner";
import { unknown } from "../resources/lifecycle";
import { EarlierStart, type PendingStart } from "../resources/pendingStart";
import { unlessInterrupted } from "../support/abort";
import { AmbiguousStartError, DocsPlatformError, InterruptedError, JournalError } from "../support/errors";
import { isoTime } from "../support/isoTime";
import type { Settings } from "../support/settings";
import type { Session } from "./session";
import type { Perhaps } from "./settingsSource";
import type { World } from "./world";

/** How often an entry is looked at whose owner is about to write the answer; milliseconds. */
const settlingRest = 250;

/** An entry with its name. */
interface Found extends Entry {
  name: string;
}

/** The pending starts of one `create`. */
export class PendingStarts {
  readonly #opened: RecordedStart[] = [];

  constructor(
    private readonly session: Session,
    private readonly address: string | undefined,
    private readonly settings: () => Settings,
    private readonly warn: (text: string) => void,
  ) {}

  /** Without an address nothing is recorded, since nothing would tell two resources apart. */
  open(request: unknown): PendingStart {
    if (this.address === undefined) {
      return unrecorded(this.session.world.newId());
    }
    const start = new RecordedStart(this.session, this.address, request, this.settings(), this.warn);
    this.#opened.push(start);
    return start;
  }

  /** Records that the host has, or will have, what was started. A host that is gone receives nothing. */
  async handedOver(): Promise<void> {
    await Promise.all(this.#opened.map((start) => start.handedOver()));
  }

  /** Whatever has not been answered by now will not be. */
  end(): void {
    for (const start of this.#opened) {
      this.session.answered(start);
    }
  }
}

/** @returns undefined while the place is not known yet: then no other one takes its place. */
function journalAt(session: Session, place: Perhaps): Journal | undefined {
  return place === unknown ? undefined : session.world.journal(place);
}

/**
 * The state names this entry. A process that has not made that entry has the state from the engine, which has saved it then:
 * the entry is of no more use.
 */
export function noteSaved(session: Session, place: Perhaps, state: { readonly __entry?: unknown }): void {
  const { __entry: name } = state;
  const journal = journalAt(session, place);
  if (isEntryName(name) && !session.touched.has(name) && journal?.isRemote === false) {
    session.note(dropLeft(session, journal, name));
  }
}

async function dropLeft(session: Session, journal: Journal, name: string): Promise<void> {
  if ((await session.entriesLeft(journal)).includes(name)) {
    await remove(journal, name);
  }
}

/** Like {@link noteSaved}, but also asks a journal that costs a request, and waits until the entry is removed. */
export async function settleSaved(
  session: Session,
  place: Perhaps,
  { __entry: name }: { readonly __entry?: unknown },
): Promise<void> {
  const journal = journalAt(session, place);
  if (isEntryName(name) && !session.touched.has(name) && journal !== undefined) {
    await remove(journal, name);
  }
}

/**
 * The run keeps what the state has. What a killed run has started in its place is not used any more: it is named once, and
 * a later replacement starts anew.
 */
export function noteAbandoned(
  session: Session,
  place: Perhaps,
  { __entry: own }: { readonly __entry?: unknown },
  warn: (text: string) => void,
): void {
  const journal = journalAt(session, place);
  // Where resources share an address, the others are about other resources.
  if (isEntryName(own) && journal?.isRemote === false && !session.sharesAddresses) {
    session.note(dropAbandoned(session, journal, own, warn).catch(() => {}));
  }
}

async function dropAbandoned(
  session: Session,
  journal: Journal,
  own: string,
  warn: (text: string) => void,
): Promise<void> {
  const { world, touched } = session;
  const { start } = partsOf(own);
  const others = (await session.entriesLeft(journal)).filter(
    (name) => partsOf(name).start === start && name !== own && !touched.has(name),
  );
  for (const { name, owner, id, intendedAt } of await readAll(journal, others, world)) {
    // Nobody hears the warning of a process whose engine is gone, and another run may have begun meanwhile.
    if (world.isRunning(owner) || !(await hasEngine(session))) {
      continue;
    }
    const begin = `a run that was killed has sent the same as this resource's last start at ${isoTime(intendedAt)}, to replace it:`;
    if (id === undefined) {
      warn(`${begin} its answer was lost. The next start will ask what became of it.`);
    } else {
      warn(`${begin} ${id} is in no state, and is not used. An export job can be adopted.`);
      await remove(journal, name);
    }
  }
}

/** Records what a state has begun: the host may hand this state to no later call, and have the same created again. */
export async function remember(
  session: Session,
  place: string | undefined,
  { __entry: name }: { readonly __entry?: unknown },
  id: string,
): Promise<void> {
  const { world } = session;
  const journal = world.journal(place);
  if (isEntryName(name)) {
    const now = world.clock.now();
    const owner = world.self(session.engineAddress());
    const entry = { intendedAt: now, idempotencyKey: world.newId(), owner, id, acceptedAt: now };
    // A journal that cannot be written is told of where something is started.
    await findEntry(journal, name)
      .then((known) => (known === undefined ? journal.write(name, writeEntry(entry)) : undefined))
      .catch(() => {});
  }
}

/** Whether the engine of this process still runs, as far as it is known. */
async function hasEngine(session: Session): Promise<boolean> {
  const engine = session.engineAddress();
  return engine === undefined || session.world.isAtWork(session.world.self(engine));
}

/** Removes an entry. If that fails, a later run looks at the entry again, until it is too old. */
async function remove(journal: Journal, name: string): Promise<void> {
  await journal.remove(name).catch(() => {});
}

/** The entries of these names that are not too old, the oldest first. @throws UnreadableEntry */
async function readAll(journal: Journal, names: readonly string[], { clock }: World): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of names) {
    const entry = await findEntry(journal, name);
    if (entry !== undefined && !isTooOld(entry, clock.now())) {
      found.push({ ...entry, name });
    }
  }
  return found.sort((a, b) => a.intendedAt - b.intendedAt || (a.name < b.name ? -1 : 1));
}

function unrecorded(idempotencyKey: string): PendingStart {
  return {
    entry: undefined,
    dismissal: undefined,
    wasDismissed: false,
    idempotencyKey,
    before: async () => {},
    refused: async () => {},
    accepted: async () => {},
    discard: async () => {},
    settle: async () => {},
  };
}

/**
 * A start with an entry of its own, which no other process writes. So nothing is ever written over, and no write has a
 * condition: whoever comes second sees the other one by looking again after its own entry is there.
 */
class RecordedStart implements PendingStart {
  idempotencyKey: string;
  wasDismissed = false;
  /** The name of the own entry, or of the one that this start goes on with. */
  entry: string;
  /** The beginning of the names of all entries about the same. */
  readonly #start: string;
  /** The name of the own entry. */
  readonly #own: string;
  #intendedAt = 0;
  #isWritten = false;
  /** The names of the entries that the user is asked about. */
  #doubtful: readonly string[] = [];
  #accepted: Entry | undefined;

  constructor(
    private readonly session: Session,
    private readonly address: string,
    request: unknown,
    private readonly settings: Settings,
    private readonly warn: (text: string) => void,
  ) {
    const id = session.world.newId();
    this.idempotencyKey = id;
    this.#start = startName(address, request);
    this.#own = entryName(this.#start, id.slice(-12));
    this.entry = this.#own;
  }

  get dismissal(): string | undefined {
    const asked = this.#isWritten ? [this.#own] : this.#doubtful;
    return asked.length > 0 ? dismissalOf(asked) : undefined;
  }

  async before(): Promise<void> {
    const { session } = this;
    session.mustEnd();
    this.#intendedAt = session.world.clock.now();
    // From here on an end of this process waits: what it writes it also takes back, where nothing is sent.
    session.sent(this);
    try {
      await session.allNoted();
      const journal = this.#journal;
      const { seen, dismissed } = await this.#lookBack(journal);
      await this.#intend(journal);
      await Promise.all(dismissed.map((name) => remove(journal, name)));
      await this.#requireAlone(journal, seen);
    } catch (error) {
      session.answered(this);
      throw error;
    }
  }

  async refused(): Promise<void> {
    await this.#takeBack();
    this.session.answered(this);
  }

  async accepted(id: string): Promise<void> {
    const { clock } = this.session.world;
    this.session.touched.add(this.#own);
    try {
      this.#accepted = { ...this.#entry(), id, acceptedAt: clock.now() };
      await this.#journal.write(this.#own, writeEntry(this.#accepted));
      this.#isWritten = true;
      // A message that may have been sent is kept as one that was.
      await Promise.all(this.#doubtful.map((name) => remove(this.#journal, name)));
    } catch (error) {
      this.#warnOnce(error, ` of ${id}`);
    } finally {
      this.session.answered(this);
    }
  }

  async discard(): Promise<void> {
    // It comes in place of nothing then.
    this.session.resumed.delete(this.#accepted?.id ?? "");
    await remove(this.#journal, this.entry);
  }

  async settle(id: string): Promise<void> {
    const { session } = this;
    const journal = this.#journal;
    const isOther = (name: string) => !session.touched.has(name);
    const others = await this.#list(journal, isOther).catch(() => []);
    const gone = others.filter(({ owner }) => !session.world.isRunning(owner));
    const known = gone.filter((entry) => entry.id === id);
    const { notStarted } = this.settings.journal;
    const lost = gone.filter(
      ({ id: known, name }) => known === undefined && !notStarted.includes(partsOf(name).intent),
    );
    // Where resources share an address, the rest is about other ones.
    const settled = session.sharesAddresses ? (known.length > 0 ? known : lost.slice(0, 1)) : gone;
    await Promise.all(settled.map(({ name }) => remove(journal, name)));
  }

  async handedOver(): Promise<void> {
    if (this.#accepted !== undefined && (await hasEngine(this.session))) {
      await this.#journal.write(this.entry, writeEntry({ ...this.#accepted, handedOver: true })).catch(() => {});
    }
  }

  /**
   * Looks at what earlier runs have left of the same.
   * @returns the names of all that there are, and of those of which the user has said that they came to nothing.
   * @throws EarlierStart, AmbiguousStartError, or JournalError where another run is at work on it.
   */
  async #lookBack(journal: Journal): Promise<{ seen: ReadonlySet<string>; dismissed: string[] }> {
    const { session } = this;
    const dismissed: string[] = [];
    const doubtful: Found[] = [];
    this.#doubtful = [];
    const others = await this.#others(journal);
    for (const found of others) {
      const entry = await this.#whenSettled(journal, found);
      if (entry === undefined) {
        continue;
      }
      await this.#requireIdle(entry.owner);
      const { name, id } = entry;
      if (this.#isTaken(name)) {
        continue;
      }
      if (id !== undefined) {
        await this.#takeUp(journal, entry, id);
      } else if (this.settings.journal.notStarted.includes(partsOf(name).intent)) {
        session.touched.add(name);
        this.wasDismissed = true;
        this.idempotencyKey = entry.idempotencyKey;
        dismissed.push(name);
        if (session.sharesAddresses) {
          // This start comes in its place. What is left is for the other resources.
          doubtful.length = 0;
          break;
        }
      } else {
        doubtful.push(entry);
      }
    }
    const [first] = doubtful.filter(({ name }) => !this.#isTaken(name));
    if (first === undefined) {
      return { seen: new Set(others.map(({ name }) => name)), dismissed };
    }
    // Where resources share an address, each of them asks about one.
    this.#doubtful = (session.sharesAddresses ? [first] : doubtful).map(({ name }) => name);
    for (const name of this.#doubtful) {
      session.touched.add(name);
    }
    throw new AmbiguousStartError({
      happened: `a run that ended before the answer came has sent the same at ${isoTime(first.intendedAt)}, and nothing tells what became of it. Nothing was sent now`,
      remedy: `look on the platform whether it took effect; if it did not, run once with ${this.dismissal}`,
    });
  }

  /** @returns where the state has it already, so that another one is wanted. */
  async #takeUp(journal: Journal, entry: Found, id: string): Promise<void> {
    const { session } = this;
    const { name, intendedAt, acceptedAt = intendedAt, handedOver } = entry;
    const standing = await session.standing(this.address, id);
    if (this.#isTaken(name)) {
      // By another resource of the same address, meanwhile.
      return;
    }
    if (standing === "saved") {
      await remove(journal, name);
    } else if (standing === "gone" && handedOver) {
      this.warn(
        `an earlier run has started ${id}, asked for in the same way at ${isoTime(intendedAt)}, and was done with it: it is not used here. Should no state have it, adopt it.`,
      );
      // Where resources share an address, it may be another one's.
      if (!session.sharesAddresses) {
        await remove(journal, name);
      }
    } else {
      session.touched.add(name);
      session.resumed.add(id);
      this.entry = name;
      const { name: _, ...accepted } = entry;
      this.#accepted = accepted;
      throw new EarlierStart(id, intendedAt, acceptedAt);
    }
  }

  /** Writes the own entry. */
  async #intend(journal: Journal): Promise<void> {
    this.entry = this.#own;
    this.#intendedAt = this.session.world.clock.now();
    this.session.touched.add(this.#own);
    try {
      await journal.write(this.#own, writeEntry(this.#entry()));
      this.#isWritten = true;
    } catch (error) {
      if (this.settings.journal.required) {
        // A place that has failed may have it all the same.
        await this.#takeBack();
        throw this.#unusable("written", error);
      }
      this.#warnOnce(error, "");
    }
  }

  /**
   * Makes sure that this process may send. Two that write at the same time see each other here, and neither sends. A process
   * whose engine is gone reaches nobody with what it starts.
   */
  async #requireAlone(journal: Journal, seen: ReadonlySet<string>): Promise<void> {
    const { signal } = this.session;
    try {
      for (const { name, owner } of await this.#others(journal)) {
        if (!seen.has(name)) {
          throw this.#busy(owner);
        }
      }
      if (signal.aborted || !(await hasEngine(this.session))) {
        throw new InterruptedError();
      }
    } catch (error) {
      await this.#takeBack();
      throw error;
    }
  }

  /** The entries about the same that other starts have made. */
  async #others(journal: Journal): Promise<Found[]> {
    const { session, settings } = this;
    try {
      const isOther = (name: string) => name !== this.#own && !this.#isTaken(name);
      return await unlessInterrupted(this.#list(journal, isOther), session.signal);
    } catch (error) {
      if (error instanceof InterruptedError) {
        throw error;
      }
      if (error instanceof UnreadableEntry || settings.journal.required) {
        throw this.#unusable("read", error);
      }
      this.#warnOnce(error, "");
      return [];
    }
  }

  async #list(journal: Journal, isWanted: (name: string) => boolean): Promise<Found[]> {
    const names = (await journal.list(`${this.#start}.`)).filter(isWanted);
    return readAll(journal, names, this.session.world);
  }

  /** Whether another resource of the same address has made or taken this entry. */
  #isTaken(name: string): boolean {
    return this.session.sharesAddresses && this.session.touched.has(name);
  }

  async #requireIdle(owner: Owner): Promise<void> {
    const { world } = this.session;
    if (!isSame(owner, world.self(undefined)) && (await world.isAtWork(owner))) {
      throw this.#busy(owner);
    }
  }

  /** A process whose engine was killed lives on until it has written the answer: its entry is read once it has. */
  async #whenSettled(journal: Journal, found: Found): Promise<Found | undefined> {
    const { world, signal } = this.session;
    const self = world.self(undefined);
    const end = world.clock.now() + this.settings.requestTimeout;
    let entry: Found | undefined = found;
    for (let mayChange = true; mayChange && entry?.id === undefined && !isSame(found.owner, self); ) {
      // One that has ended meanwhile may have written its answer after the entry was read.
      mayChange = world.isRunning(found.owner) && !(await world.isAtWork(found.owner)) && world.clock.now() < end;
      if (mayChange) {
        await world.clock.sleep(settlingRest, signal).catch(() => {
          throw new InterruptedError();
        });
      }
      const now: Entry | undefined = await findEntry(journal, found.name);
      entry = now && { ...now, name: found.name };
      mayChange &&= entry !== undefined;
    }
    return entry;
  }

  async #takeBack(): Promise<void> {
    this.#isWritten = false;
    await remove(this.#journal, this.#own);
  }

  #entry(): Entry {
    const { session, idempotencyKey } = this;
    return { intendedAt: this.#intendedAt, idempotencyKey, owner: session.world.self(session.engineAddress()) };
  }

  get #journal(): Journal {
    return this.session.world.journal(this.settings.journal.place);
  }

  #busy({ pid }: Owner): JournalError {
    return new JournalError({
      happened: `another run with a resource of this name is starting the same at this moment (process ${pid}); nothing was sent`,
      remedy:
        "wait for it. If it is about something else of the same name, give each a journal of its own (DOCS_PLATFORM_JOURNAL).",
    });
  }

  #unusable(what: "read" | "written", error: unknown): DocsPlatformError {
    return error instanceof DocsPlatformError
      ? error
      : new JournalError({
          happened: `the journal in ${this.#journal.place} cannot be ${what}: ${reasonOf(error)}; nothing was sent`,
          remedy:
            error instanceof OpenPlace
              ? error.remedy
              : "make it readable and writable for this run, or name another place (DOCS_PLATFORM_JOURNAL).",
        });
  }

  #warnOnce(error: unknown, what: string): void {
    if (this.session.once("warn of the journal")) {
      this.warn(
        `the journal in ${this.#journal.place} cannot be used (${reasonOf(error)}): if this run is killed, or loses an answer, the next one does not know${what || " what it has started"}. ${error instanceof OpenPlace ? `What to do: ${error.remedy}` : "DOCS_PLATFORM_JOURNAL names another place."}`,
      );
    }
  }
}

function isSame(one: Owner, other: Owner): boolean {
  return one.host === other.host && one.pid === other.pid && one.began === other.began;
}

/** A code is the last part of an entry's name: another one each time that a start is sent. */
function dismissalOf(names: readonly string[]): string {
  return `DOCS_PLATFORM_NOT_STARTED=${names.map((name) => partsOf(name).intent).join(",")}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
