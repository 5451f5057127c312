import { dropEntries, type Found } from "../journal/entries";
import { type Entry, entryNameParts, journalEntryName, startName } from "../journal/journal";
import type { Owner } from "../journal/owner";
import { EarlierStartError, type PendingStart, type StartAnswer } from "../resources/pendingStart";
import type { Settings } from "../settings/settings";
import { notStarted } from "../settings/settingTable";
import { AmbiguousStartError, InterruptedError } from "../support/errors";
import { isoTime } from "../support/time/duration";
import { leaveOtherRequests } from "./evidence";
import type { Predecessor } from "./left";
import type { Session } from "./session";
import { StartJournal } from "./startJournal";

/**
 * A start with a journal entry of its own, which no other process writes. So no entry is overwritten, and no write has
 * a condition: of two processes, the second sees the first when it lists again after its own entry is written. The
 * steps: look → intended → look again → sent → accepted → handed over. A later process whose state names the entry
 * removes it.
 */
export class RecordedStart implements PendingStart {
  idempotencyKey: string;
  dismissedStart: number | undefined;
  /** The name of this start's own entry, or of the earlier entry that this start continues. */
  entry: string;
  /** The name of this start's own entry. */
  readonly #own: string;
  readonly #journal: StartJournal;
  #intendedAt = 0;
  /** The names of the entries that the user is asked about if no answer comes. */
  #asked: readonly string[] = [];
  #accepted: Entry | undefined;

  readonly #session: Session;
  readonly #address: string;
  readonly #settings: Settings;
  readonly #warn: (text: string) => void;
  readonly #predecessor: Predecessor | undefined;
  #mayContinue = true;

  constructor(
    session: Session,
    address: string,
    request: unknown,
    settings: Settings,
    warn: (text: string) => void,
    predecessor?: Predecessor,
  ) {
    this.#session = session;
    this.#address = address;
    this.#settings = settings;
    this.#warn = warn;
    this.#predecessor = predecessor;
    const id = session.world.newId();
    const start = startName(address, request);
    this.idempotencyKey = id;
    this.#own = journalEntryName(start, id.slice(-12));
    this.entry = this.#own;
    this.#journal = new StartJournal(session, settings, start, warn);
  }

  /**
   * Returns the setting by which the user says that the lost starts had no effect. The code of a start is the last part
   * of its entry's name, and is new each time that the start is sent.
   */
  get dismissal(): string | undefined {
    const codes = this.#asked.map((name) => entryNameParts(name).intent);
    return codes.length > 0 ? `${notStarted.variable}=${codes.join(",")}` : undefined;
  }

  async before(): Promise<void> {
    const session = this.#session;
    session.mustEnd();
    this.#intendedAt = session.world.clock.now();
    // From here on the process does not end before this start does: if nothing is sent, it must take its entry back.
    session.sent(this);
    try {
      await session.allNoted();
      const { seen, dismissed } = await this.#lookBack();
      await this.#leaveOtherRequests();
      await this.#intend();
      await this.#drop(...dismissed);
      await this.#requireAlone(seen);
    } catch (error) {
      session.answered(this);
      throw error;
    }
  }

  async refused(): Promise<void> {
    await this.#takeBack();
    this.#session.answered(this);
  }

  async accepted(id: string, { isAnswered = true, platformTime }: StartAnswer = {}): Promise<void> {
    const { clock } = this.#session.world;
    this.#session.touched.add(this.#own);
    try {
      this.#accepted = {
        ...this.#entry(),
        id,
        ...(isAnswered && { acceptedAt: clock.now() }),
        ...(platformTime !== undefined && { platformTime }),
      };
      await this.#journal.write(this.#own, this.#accepted);
      // The state keeps a message that may have been sent as if it was sent, so the entries of lost answers are not
      // needed any more.
      await this.#drop(...this.#asked.filter((name) => name !== this.#own));
      this.#asked = [this.#own];
    } catch (error) {
      this.#journal.warnOnce(error, ` about ${id}`);
    } finally {
      this.#session.answered(this);
    }
  }

  async handedOver(): Promise<void> {
    const isKept = this.entry === this.#own || this.#session.resumed.has(this.#accepted?.id ?? "");
    if (this.#accepted !== undefined && isKept && (await this.#session.hasEngine())) {
      await this.#journal.write(this.entry, { ...this.#accepted, handedOver: true }).catch(() => {});
    }
  }

  async discard(why: "failed" | "unknown"): Promise<void> {
    // The discarded job no longer takes the place of a new start.
    this.#session.resumed.delete(this.#accepted?.id ?? "");
    // Resources that share an address may have keys of several organisations: another key may know it.
    if (why === "failed" || !this.#session.sharesAddresses) {
      await this.#drop(this.entry);
    }
  }

  async settle(id: string, begin?: number): Promise<void> {
    await this.#journal.settle(id, begin);
  }

  /**
   * Examines the entries that earlier runs have left for the same request.
   * @returns the names of all these entries, and of those that had no effect, as the user has said.
   * @throws EarlierStartError, AmbiguousStartError, or JournalError if another run is working on the same request.
   */
  async #lookBack(): Promise<{ seen: ReadonlySet<string>; dismissed: string[] }> {
    const session = this.#session;
    const dismissed: string[] = [];
    const doubtful: Found[] = [];
    this.#asked = [];
    const others = await this.#others();
    const left = this.#predecessor?.left;
    if (left !== undefined && this.#mayContinue && !session.resumed.has(left.id)) {
      // If it turns out to be of no use, it is not continued again.
      this.#mayContinue = false;
      const known = others.find(({ id }) => id === left.id);
      await this.#resume(known ?? { ...this.#journal.entryAbout(left), name: this.#own }, left.id, true);
    }
    // The user's answer is about this start. Other entries may be about other resources.
    const isDismissed = ({ name }: Found) => this.#journal.isDismissed(name);
    const inOrder = [...others.filter(isDismissed), ...others.filter((other) => !isDismissed(other))];
    // An earlier try of this start may have replaced the dismissed one already.
    const isAnswered = session.sharesAddresses && this.dismissedStart !== undefined;
    for (const found of isAnswered ? [] : inOrder) {
      const entry = await this.#journal.whenSettled(found);
      if (entry === undefined || this.#isTaken(entry.name)) {
        continue;
      }
      const { name, id } = entry;
      if (id !== undefined) {
        await this.#takeUp(entry, id);
      } else if (this.#journal.isDismissed(name)) {
        session.touched.add(name);
        this.dismissedStart = Math.min(entry.intendedAt, this.dismissedStart ?? entry.intendedAt);
        this.idempotencyKey = entry.idempotencyKey;
        dismissed.push(name);
        if (session.sharesAddresses) {
          // This start replaces the dismissed one. The remaining entries are for the other resources.
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
    // If resources share an address, each of them asks about one entry.
    this.#asked = (session.sharesAddresses ? [first] : doubtful).map(({ name }) => name);
    for (const name of this.#asked) {
      session.touched.add(name);
    }
    throw new AmbiguousStartError({
      happened: `an earlier run sent the same request at ${isoTime(first.intendedAt)} and ended before the answer came. It is not known if the request took effect. This run sent nothing`,
      remedy: `check on the platform if it took effect; if it did not, run once with ${this.dismissal}`,
    });
  }

  /**
   * Continues the job of an earlier entry, by an EarlierStartError.
   * @returns if the state has the job, or had it, so that a new job is wanted.
   */
  async #takeUp(entry: Found, id: string): Promise<void> {
    const session = this.#session;
    const { name, intendedAt, handedOver, planned, replaces } = entry;
    const predecessor = this.#predecessor;
    // A plan has said that the next create continues it: that may be this one, which replaces nothing then.
    const isPlanned = planned && predecessor?.isGuess;
    // The resource that this start replaces has come after that one.
    const isOlder = predecessor !== undefined && replaces !== predecessor.id && !isPlanned;
    const standing = isOlder ? "gone" : await session.standing(this.#address, id);
    if (this.#isTaken(name)) {
      // Another resource of the same address has taken the entry meanwhile.
      return;
    }
    if (standing === "saved") {
      await this.#drop(name);
    } else if (standing === "gone" && (handedOver || isOlder)) {
      this.#warn(
        `an earlier run started ${id} with the same request at ${isoTime(intendedAt)}, and this run does not use it. If no state has it, adopt it.`,
      );
      // If resources share an address, the entry may belong to another resource.
      if (!session.sharesAddresses) {
        await this.#drop(name);
      }
    } else {
      await this.#resume(entry, id);
    }
  }

  async #resume({ name, planned, ...accepted }: Found, id: string, wasSaved = false): Promise<never> {
    const { intendedAt, acceptedAt, platformTime, adopted = false } = accepted;
    this.#session.touched.add(name);
    this.#session.resumed.add(id);
    this.entry = name;
    this.#accepted = accepted;
    if (planned) {
      // If this create fails, no state has what it continues, and a plan that sees no such state keeps the entry.
      await this.#journal.write(name, accepted).catch(() => {});
    }
    const isDated = platformTime !== undefined && acceptedAt !== undefined;
    const earliestBegin = isDated ? platformTime - (acceptedAt - intendedAt) : undefined;
    throw new EarlierStartError(id, intendedAt, acceptedAt, earliestBegin, adopted, wasSaved);
  }

  /** Names what killed runs have started for this resource with other inputs, which this start takes the place of. */
  async #leaveOtherRequests(): Promise<void> {
    const isSaved = async (id: string) => (await this.#session.standing(this.#address, id)) === "saved";
    const { start } = entryNameParts(this.#own);
    await leaveOtherRequests(this.#session, this.#journal.journal, { start, isSaved }, this.#warn);
  }

  /** Writes the own entry. */
  async #intend(): Promise<void> {
    this.entry = this.#own;
    this.#intendedAt = this.#session.world.clock.now();
    this.#session.touched.add(this.#own);
    try {
      await this.#journal.write(this.#own, this.#entry());
      this.#asked = [this.#own];
    } catch (error) {
      if (this.#settings.journal.required) {
        // A write that failed may have stored the entry nevertheless.
        await this.#takeBack();
        throw this.#journal.unusable("written", error);
      }
      this.#journal.warnOnce(error);
    }
  }

  /**
   * Ensures that this process may send. Two processes that write at the same time see each other here, and neither
   * sends. A process whose engine is gone does not send either: nobody would receive its result.
   */
  async #requireAlone(seen: ReadonlySet<string>): Promise<void> {
    const session = this.#session;
    try {
      const late = (await this.#others()).find(({ name }) => !seen.has(name));
      if (late !== undefined) {
        throw this.#journal.busy(late.owner);
      }
      if (session.signal.aborted || !(await session.hasEngine())) {
        throw new InterruptedError();
      }
    } catch (error) {
      await this.#takeBack();
      throw error;
    }
  }

  /** Returns the entries of other starts for the same request. */
  async #others(): Promise<Found[]> {
    const { world, sharesAddresses } = this.#session;
    const others = await this.#journal.look((name) => name !== this.#own && !this.#isTaken(name));
    if (!sharesAddresses) {
      return others;
    }
    const self = world.self(this.#session.engineAddress());
    // Another configuration of the provider has its own process in the same run. Its resources are not ours.
    const isSister = (owner: Owner) => owner.engine === self.engine && owner.pid !== self.pid && world.isRunning(owner);
    return others.filter(({ owner }) => !isSister(owner));
  }

  /** Returns true if another resource of the same address has made or taken this entry. */
  #isTaken(name: string): boolean {
    return this.#session.sharesAddresses && this.#session.touched.has(name);
  }

  async #takeBack(): Promise<void> {
    this.#asked = [];
    await this.#drop(this.#own);
  }

  #drop(...names: readonly string[]): Promise<void> {
    return dropEntries(this.#journal.journal, ...names);
  }

  #entry(): Entry {
    const { idempotencyKey } = this;
    const session = this.#session;
    const owner = session.world.self(session.engineAddress());
    const replaces = this.#predecessor?.id;
    return { intendedAt: this.#intendedAt, idempotencyKey, owner, ...(replaces !== undefined && { replaces }) };
  }
}
