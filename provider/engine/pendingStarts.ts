import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { digest, type Entry, entryName, isEntryName, type Journal, UnreadableEntry } from "../journal/journal";
import { openJournal } from "../journal/openJournal";
import { isAtWork, isRunning, isThisProcess, thisProcess } from "../journal/owner";
import { EarlierStart, type PendingStart } from "../resources/pendingStart";
import { AmbiguousStartError, JournalError } from "../support/errors";
import { isoTime } from "../support/isoTime";
import type { Settings } from "../support/settings";
import type { Session } from "./session";

/** How often an entry is looked at whose owner is about to write the answer; milliseconds. */
const settlingRest = 250;

/** So many resources that nothing tells apart are told apart all the same. */
const mostEqual = 8;

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
      return unrecorded();
    }
    const start = new RecordedStart(this.session, this.address, request, this.settings(), this.warn);
    this.#opened.push(start);
    return start;
  }

  /** The engine is given the id: its state may have it, and nothing tells so yet. */
  handOver(): void {
    for (const start of this.#opened) {
      start.handOver();
    }
  }

  /** Whatever has not been answered by now will not be. */
  end(): void {
    for (const start of this.#opened) {
      this.session.answered(start);
    }
  }
}

/**
 * The state names this entry and this id: the engine has saved it, so that the entry is of no more use. An entry of the
 * same name may be about a later start, and then stays.
 */
export function noteSaved(
  session: Session,
  place: string | undefined,
  { __entry: name }: { readonly __entry?: unknown },
  id: string,
): void {
  if (isEntryName(name)) {
    session.note(dropEntry(place, name, id));
  }
}

/** The same, where a look that costs a request is worth it, and to its end. */
export async function settleSaved(
  place: string | undefined,
  state: { readonly __entry?: unknown },
  id: string,
): Promise<void> {
  if (isEntryName(state.__entry)) {
    await dropEntry(place, state.__entry, id, true);
  }
}

/**
 * Records what a state has begun, unless the journal has it: the host may hand this state to no later call, and have the same
 * created again.
 */
export async function remember(
  session: Session,
  place: string | undefined,
  { __entry: name }: { readonly __entry?: unknown },
  id: string,
): Promise<void> {
  if (isEntryName(name)) {
    const owner = thisProcess(session.engineAddress());
    const entry = { id, idempotencyKey: randomUUID(), owner, writtenAt: Date.now() };
    // A journal that cannot be written is told of where something is started.
    await openJournal(place)
      .add(name, entry)
      .catch(() => {});
  }
}

async function dropEntry(place: string | undefined, name: string, id: string, remotely = false): Promise<void> {
  try {
    const journal = openJournal(place);
    if ((remotely || !journal.isRemote) && (await journal.find(name))?.id === id) {
      await journal.remove(name);
    }
  } catch {
    // It stays until a later call shows the same, or until it is too old.
  }
}

function unrecorded(): PendingStart {
  return {
    entry: undefined,
    dismissal: undefined,
    wasDismissed: false,
    idempotencyKey: randomUUID(),
    before: async () => {},
    refused: async () => {},
    accepted: async () => {},
    discard: async () => {},
  };
}

class RecordedStart implements PendingStart {
  idempotencyKey: string = randomUUID();
  wasDismissed = false;
  /** True while the journal has an entry of this start, or of the one that it goes on with. */
  #isRecorded = false;
  /** Of that entry. */
  #code = "";

  entry: string;
  #isChosen = false;

  constructor(
    private readonly session: Session,
    private readonly address: string,
    private readonly request: unknown,
    private readonly settings: Settings,
    private readonly warn: (text: string) => void,
  ) {
    this.entry = entryName(address, request);
  }

  get dismissal(): string | undefined {
    return this.#isRecorded ? `DOCS_PLATFORM_NOT_STARTED=${this.#code}` : undefined;
  }

  async before(): Promise<void> {
    await this.#begin();
    const journal = this.#open();
    const earlier = await this.#add(journal);
    if (earlier !== undefined) {
      await this.#takeUp(journal, earlier);
    }
    this.session.sent(this);
  }

  async refused(): Promise<void> {
    this.session.answered(this);
    if (this.#isRecorded) {
      await this.discard();
    }
  }

  async accepted(id: string): Promise<void> {
    try {
      await this.#open().replace(this.entry, this.#write(id));
      this.#isRecorded = true;
    } catch (error) {
      this.#warnOnce(error, ` of ${id}`);
    } finally {
      this.session.answered(this);
    }
  }

  async discard(): Promise<void> {
    this.#isRecorded = false;
    // What stays all the same is looked at by the next run.
    await this.#open()
      .remove(this.entry)
      .catch(() => {});
  }

  handOver(): void {
    if (this.#isRecorded) {
      this.session.handOver(() => this.discard());
    }
  }

  /** What earlier calls have shown of the journal is in it before it is read. */
  async #begin(): Promise<void> {
    this.session.mustEnd();
    await this.session.allNoted();
    if (this.session.sharesAddresses && !this.#isChosen) {
      this.#isChosen = true;
      this.entry = await this.#chooseEntry();
    }
  }

  async #chooseEntry(): Promise<string> {
    const addresses = Array.from({ length: mostEqual }, (_, index) => [this.address, index].join(" "));
    const journal = this.#open();
    const isThere = async (name: string) => (await journal.find(name).catch(() => undefined)) !== undefined;
    const names = addresses.map((address) => entryName(address, this.request));
    return (await this.session.chooseEntry(names, isThere)) ?? entryName(randomUUID(), this.request);
  }

  async #add(journal: Journal): Promise<Entry | undefined> {
    try {
      const earlier = await journal.add(this.entry, this.#write());
      this.#isRecorded = true;
      return earlier;
    } catch (error) {
      if (error instanceof UnreadableEntry || this.settings.journal.required) {
        throw new JournalError({
          happened: `the journal in ${journal.place} cannot be ${error instanceof UnreadableEntry ? "read" : "written"}: ${reasonOf(error)}; nothing was sent`,
          remedy: "make it readable and writable for this run, or name another place (DOCS_PLATFORM_JOURNAL).",
        });
      }
      this.#warnOnce(error, "");
      return undefined;
    }
  }

  /** @returns where the earlier start is of no more use: it is saved, or the user has said that it came to nothing. */
  async #takeUp(journal: Journal, found: Entry): Promise<void> {
    const earlier = await this.#whenSettled(journal, found);
    if (earlier === undefined) {
      return this.before();
    }
    if (!isThisProcess(earlier.owner) && (await isAtWork(earlier.owner))) {
      this.#isRecorded = false;
      throw new JournalError({
        happened: `another run with a resource of this name is starting the same at this moment (process ${earlier.owner.pid}); nothing was sent`,
        remedy: "wait for it. Stacks of one name in two backends need a journal each (DOCS_PLATFORM_JOURNAL).",
      });
    }
    if (earlier.id !== undefined) {
      if (isThisProcess(earlier.owner) || !(await this.session.hasSaved(this.address, earlier.id))) {
        this.session.resumed.add(earlier.id);
        throw new EarlierStart(earlier.id, earlier.writtenAt);
      }
      // The state has it, and the engine wants another one.
      return journal.replace(this.entry, this.#write());
    }
    this.idempotencyKey = earlier.idempotencyKey;
    this.#code = codeOf(earlier);
    if (!this.settings.journal.notStarted.includes(this.#code)) {
      throw new AmbiguousStartError({
        happened: `a run that ended before the answer came has sent the same at ${isoTime(earlier.writtenAt)}, and nothing tells what became of it. Nothing was sent now`,
        remedy: `look on the platform whether it took effect; if it did not, run once with ${this.dismissal}`,
      });
    }
    this.wasDismissed = true;
    await journal.replace(this.entry, this.#write());
  }

  /** A process whose engine was killed lives on until it has written the answer: its entry is read once it has. */
  async #whenSettled(journal: Journal, found: Entry): Promise<Entry | undefined> {
    const end = Date.now() + this.settings.requestTimeout;
    let entry: Entry | undefined = found;
    while (entry && !entry.id && !isThisProcess(entry.owner) && isRunning(entry.owner) && Date.now() < end) {
      await sleep(settlingRest);
      entry = await journal.find(this.entry);
    }
    return entry;
  }

  #write(id?: string): Entry {
    const { idempotencyKey } = this;
    const entry = { idempotencyKey, owner: thisProcess(this.session.engineAddress()), writtenAt: Date.now() };
    this.#code = codeOf(entry);
    return id === undefined ? entry : { ...entry, id };
  }

  #open(): Journal {
    return openJournal(this.settings.journal.place);
  }

  #warnOnce(error: unknown, what: string): void {
    if (this.session.once("warn of the journal")) {
      this.warn(
        `the journal in ${this.#open().place} cannot be written (${reasonOf(error)}): if this run is killed, or loses an answer, the next one does not know${what || " what it has started"}. DOCS_PLATFORM_JOURNAL names another place.`,
      );
    }
  }
}

/** Short enough to be typed, and another one each time that a start is sent, also for the same one. */
function codeOf({ idempotencyKey, writtenAt }: Entry): string {
  return digest(idempotencyKey, writtenAt).slice(0, 12);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
