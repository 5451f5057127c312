import type { Found } from "../journal/entries";
import { type Entry, journalEntryName, startName } from "../journal/journal";
import type { Owner } from "../journal/owner";
import { EarlierStartError, type PendingStart, type StartAnswer } from "../resources/pendingStart";
import { journal as journalSetting } from "../settings/settingTable";
import { AmbiguousStartError, InterruptedError, JournalError } from "../support/errors";
import { isoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { Session } from "./session";
import { StartJournal, type StartSettings } from "./startJournal";

/**
 * A start with a journal entry of its own, which no other process writes. So no entry is overwritten, and no write has
 * a condition: of two processes, the second sees the first when it lists again after its own entry is written. The
 * steps: look → intended → look again → sent → accepted → handed over. A later process whose state names the entry
 * removes it.
 */
export class RecordedStart implements PendingStart {
  readonly idempotencyKey: string;
  /** The name of this start's own entry, or of the earlier entry that this start continues. */
  entry: string;
  readonly #own: string;
  readonly #journal: StartJournal;
  #intendedAt = 0;
  /** The names of the entries that the user is asked about if no answer comes. */
  #asked: readonly string[] = [];
  #accepted: Entry | undefined;

  readonly #after: number;

  /** @param after what an older job was started for has been replaced since; by the platform's clock. */
  constructor(
    private readonly session: Session,
    private readonly address: string,
    request: unknown,
    private readonly settings: StartSettings,
    private readonly warn: (text: string) => void,
    after = Number.NEGATIVE_INFINITY,
  ) {
    this.#after = after;
    const id = session.runtime.newId();
    const start = startName(address, request);
    this.idempotencyKey = id;
    this.#own = journalEntryName(start, id.slice(-12));
    this.entry = this.#own;
    this.#journal = new StartJournal(session, settings, start, warn);
  }

  get removal(): string | undefined {
    const entries = this.#asked.filter((name) => !this.session.unwritten.has(name)).map((name) => `${name}.json`);
    return entries.length === 0
      ? undefined
      : `remove ${entries.join(" and ")} from the journal in ${this.#journal.journal.place}`;
  }

  get #removalThen(): string {
    return this.removal === undefined ? "" : `${this.removal}, then `;
  }

  async before(): Promise<void> {
    const session = this.session;
    session.mustEnd();
    this.#intendedAt = session.runtime.clock.now();
    // From here on the process does not end before this start does: if nothing is sent, it must take its entry back.
    session.sent(this);
    try {
      await session.allNoted();
      const seen = await this.#lookBack();
      await this.#tellOfLostJournal();
      if (!session.sharesAddresses) {
        await this.#tellOfJobsLeft();
      }
      await this.#intend();
      await this.#requireAlone(seen);
    } catch (error) {
      session.answered(this);
      throw error;
    }
  }

  async refused(): Promise<void> {
    await this.#takeBack();
    this.session.answered(this);
  }

  async accepted(id: string, { isAnswered = true, platformTime }: StartAnswer = {}): Promise<void> {
    const { clock } = this.session.runtime;
    this.session.touched.add(this.#own);
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
      if (this.session.sharesAddresses) {
        // By now the other resources of this run have taken up their own jobs.
        await this.#tellOfJobsLeft();
      }
    } catch (error) {
      this.#journal.warnOnce(error, ` about ${id}`);
    } finally {
      this.session.answered(this);
    }
  }

  async handedOver(): Promise<void> {
    const isKept = this.entry === this.#own || this.session.resumed.has(this.#accepted?.id ?? "");
    if (this.#accepted !== undefined && isKept && (await this.session.hasEngine())) {
      await this.#journal.write(this.entry, { ...this.#accepted, handedOver: true }).catch(() => {});
    }
  }

  async discard(why: "failed" | "unknown"): Promise<void> {
    // The discarded job no longer takes the place of a new start.
    this.session.resumed.delete(this.#accepted?.id ?? "");
    this.#accepted = undefined;
    // Resources that share an address may have keys of several organisations: another key may know it.
    if (why === "failed" || !this.session.sharesAddresses) {
      await this.#drop(this.entry);
    }
  }

  async settle(id: string, begin?: number): Promise<void> {
    await this.#journal.settle(id, begin);
  }

  async #lookBack(): Promise<ReadonlySet<string>> {
    const session = this.session;
    const doubtful: Found[] = [];
    this.#asked = [];
    const { found: others, unusable } = await this.#others();
    const torn = unusable.find(({ name }) => !this.#isTaken(name));
    if (torn !== undefined) {
      // Of resources that share an address, each asks about one entry.
      session.touched.add(torn.name);
      throw this.#journal.unusableEntry(torn);
    }
    for (const found of others) {
      const entry = await this.#journal.whenSettled(found);
      if (entry === undefined || this.#isTaken(entry.name)) {
        continue;
      }
      if (entry.id === undefined) {
        doubtful.push(entry);
      } else {
        await this.#takeUp(entry, entry.id);
      }
    }
    const [first] = doubtful.filter(({ name }) => !this.#isTaken(name));
    if (first === undefined) {
      return new Set(others.map(({ name }) => name));
    }
    // If resources share an address, each of them asks about one entry.
    this.#asked = (session.sharesAddresses ? [first] : doubtful).map(({ name }) => name);
    for (const name of this.#asked) {
      session.touched.add(name);
    }
    throw new AmbiguousStartError({
      happened: this.session.sentEntries.has(first.name)
        ? `this run sent the same request at ${isoTime(first.intendedAt)} and lost the answer. It is not known if the request took effect, so it is not sent again`
        : `an earlier run sent the same request at ${isoTime(first.intendedAt)} and ended before the answer came. It is not known if the request took effect. This run sent nothing`,
      remedy: `check on the platform if it took effect; if it did not, ${this.#removalThen}run \`${words.run}\` again.`,
    });
  }

  /** Continues an earlier job by an EarlierStartError, or returns if the state has or had it: a new one is wanted. */
  async #takeUp(entry: Found, id: string): Promise<void> {
    const session = this.session;
    const { name, intendedAt, platformTime = Number.POSITIVE_INFINITY, handedOver } = entry;
    const isOlder = platformTime < this.#after;
    const savedInState = isOlder ? "gone" : await session.savedInState(this.address, id);
    if (this.#isTaken(name)) {
      return;
    }
    if (savedInState === "saved") {
      await this.#drop(name);
    } else if (savedInState === "gone" && (handedOver || isOlder)) {
      this.warn(
        `${this.#senderOf(name)} started ${id} with the same request at ${isoTime(intendedAt)}, and this run does not use it. If no state has it, adopt it.`,
      );
      // If resources share an address, the entry may belong to another resource.
      if (!session.sharesAddresses) {
        await this.#drop(name);
      }
    } else {
      this.#resume(entry, id);
    }
  }

  #resume({ name, ...accepted }: Found, id: string): never {
    const { intendedAt, acceptedAt, platformTime } = accepted;
    this.session.touched.add(name);
    this.session.resumed.add(id);
    this.entry = name;
    this.#accepted = accepted;
    const isDated = platformTime !== undefined && acceptedAt !== undefined;
    const earliestBegin = isDated ? platformTime - (acceptedAt - intendedAt) : undefined;
    throw new EarlierStartError(id, intendedAt, acceptedAt, earliestBegin, this.#senderOf(name));
  }

  /**
   * Tells of an earlier create that only a journal on another machine knows. The question takes a second: the start waits for
   * it only if the journal is required.
   */
  async #tellOfLostJournal(): Promise<void> {
    const { journal } = this.#journal;
    if (!(await this.session.isNewJournal(journal))) {
      return;
    }
    const happened = `an earlier run was cut off while it created this resource, and the journal in ${journal.place} is new on this machine: a job of that run may go on`;
    const remedy = `look for it on the platform, and adopt it. To let all machines see one journal, name a bucket in ${journalSetting.variable}.`;
    const asked = this.session.wasCutOff(this.address);
    if (!this.settings.journal.required) {
      void asked.then(
        (wasCutOff) =>
          wasCutOff && this.warn(`${happened}, beside the one that this run starts. What to do: ${remedy}`),
      );
    } else if (await asked) {
      throw new JournalError({
        isLost: true,
        happened: `${happened}; this run sent nothing`,
        remedy: `${remedy} If there is none, run \`pulumi refresh --clear-pending-creates\`, and then \`${words.run}\`.`,
      });
    }
  }

  /** Tells once of each job that an earlier run started with other inputs, since nothing will follow it any more. */
  async #tellOfJobsLeft(): Promise<void> {
    const { session, address } = this;
    const { touched, runtime } = session;
    const why = session.asksState ? "was cut off" : "no run has read a state with it since";
    for (const { name, id, intendedAt, owner, handedOver } of await this.#journal.leftByOthers()) {
      const isLeft = id !== undefined && !handedOver && !touched.has(name) && !runtime.isRunning(owner);
      if (isLeft && (await session.savedInState(address, id)) !== "saved" && session.once(`tell of ${name}`)) {
        this.warn(
          `an earlier run with other inputs started ${id} at ${isoTime(intendedAt)}, and ${why}: this run does not use it. It may go on, and be in the way if the platform allows one job at a time. If no other resource has it, adopt it to use it.`,
        );
      }
    }
  }

  async #intend(): Promise<void> {
    this.entry = this.#own;
    this.#intendedAt = this.session.runtime.clock.now();
    this.session.touched.add(this.#own);
    try {
      await this.#journal.write(this.#own, this.#entry());
      this.#asked = [this.#own];
    } catch (error) {
      if (this.settings.journal.required) {
        // A write that failed may have stored the entry nevertheless.
        await this.#takeBack();
        throw this.#journal.unusable("written", error);
      }
      this.#journal.warnOnce(error);
    }
  }

  /** Of two processes that write at the same time neither may send, and none without its engine. */
  async #requireAlone(seen: ReadonlySet<string>): Promise<void> {
    const session = this.session;
    try {
      const { found, unusable } = await this.#others();
      const late = found.find(({ name }) => !seen.has(name));
      if (late !== undefined) {
        throw this.#journal.busy(late.owner);
      }
      const [torn] = unusable;
      if (torn !== undefined) {
        throw this.#journal.unusableEntry(torn);
      }
      if (session.signal.aborted || !(await session.hasEngine())) {
        throw new InterruptedError();
      }
    } catch (error) {
      await this.#takeBack();
      throw error;
    }
  }

  async #others(): ReturnType<StartJournal["look"]> {
    const { runtime, sharesAddresses } = this.session;
    const others = await this.#journal.look((name) => name !== this.#own && !this.#isTaken(name));
    if (!sharesAddresses) {
      return others;
    }
    const self = runtime.self(this.session.engineAddress());
    // Another configuration of the provider has its own process in the same run. Its resources are not ours.
    const isSister = (owner: Owner) =>
      owner.engine === self.engine && owner.pid !== self.pid && runtime.isRunning(owner);
    return { ...others, found: others.found.filter(({ owner }) => !isSister(owner)) };
  }

  #isTaken(name: string): boolean {
    return this.session.sharesAddresses && this.session.touched.has(name);
  }

  #senderOf(name: string): "an earlier run" | "this run" {
    return this.session.sentEntries.has(name) ? "this run" : "an earlier run";
  }

  async #takeBack(): Promise<void> {
    this.#asked = [];
    await this.#drop(this.#own);
  }

  #drop(...names: readonly string[]): Promise<void> {
    return this.#journal.drop(...names);
  }

  #entry(): Entry {
    const { idempotencyKey } = this;
    const session = this.session;
    const owner = session.runtime.self(session.engineAddress());
    return { intendedAt: this.#intendedAt, idempotencyKey, owner };
  }
}
