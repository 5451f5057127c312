import {
  type JournalEntry,
  type JournalEntryWithName,
  journalEntryName,
  parseEntryFileName,
  startEntryPrefix,
} from "../journal/journal";
import { type AcceptedStart, AlreadyStartedError, type PendingStart } from "../resources/pendingStart";
import { RunCancelledError } from "../support/errors";
import { formatIsoTime } from "../support/time/duration";
import type { Session } from "./session";
import { lostAnswerError, startInProgressError, unusableEntryError, unusableJournalError } from "./startErrors";
import { type JobJournalSettings, StartJournal } from "./startJournal";

/**
 * The states of one start, from before its request is sent until the engine has saved its result. Each step below is a
 * method of this class. A test reads this table, and asserts that its runs take every step in it, and no other step.
 *
 * | state | step | next state | the journal then has |
 * |---|---|---|---|
 * | new | look | looked | no entry of this start |
 * | new | look | continued | the entry of an earlier start with the id of its job: the job replaces this start |
 * | new | look | doubtful | entries of earlier starts without an id: nothing is sent, and the user is asked |
 * | new | adopt | adopted | no entry of an earlier start that may have created the adopted job |
 * | looked | intend | intended | its own entry, without an id |
 * | looked | takeBack | new | no entry: a required journal could not be written |
 * | intended | lookAgain | sent | its own entry: from now on the request may leave |
 * | intended | takeBack | new | no entry: another process has the same intent, or the run was cancelled |
 * | sent | takeBack | new | no entry: the request was refused, or certainly not sent |
 * | sent | accept | accepted | its own entry, with the id |
 * | doubtful | accept | accepted | only its own entry: a message that may have arrived counts as sent |
 * | accepted | handOver | handedOver | its own entry, with a note that the engine has received the result |
 * | continued | handOver | handedOver | the earlier entry, with a note that the engine has received the result |
 * | accepted | discard | new | no entry: the job has failed |
 * | continued | discard | new | no entry: the job has failed, or is unknown |
 *
 * A later process removes an entry when it gets a state with the entry's name. Each new entry has its own name. No
 * other process writes to an entry before the entry has the id of a job. Only the creator writes this id. After that,
 * every write adds only the note of `handOver`. So two writes never conflict, and no write needs a condition. Each
 * process writes its own entry before it looks again. So if two processes want to send the same request at the same
 * time, at least one of them sees the other's entry, and sends nothing.
 */
type StartState =
  | { is: "new" | "looked" | "intended" | "sent" | "adopted" }
  | { is: "doubtful"; asked: readonly string[] }
  | { is: "continued" | "accepted" | "handedOver"; name: string; entry: JournalEntry };

export class RecordedStart implements PendingStart {
  readonly idempotencyKey: string;
  #state: StartState = { is: "new" };
  readonly #own: string;
  readonly #journal: StartJournal;
  #intendedAt = 0;

  /**
   * @param after in milliseconds, by the platform's clock. A job is not continued if the platform answered its start
   * before this time.
   */
  constructor(
    private readonly session: Session,
    private readonly address: string,
    request: unknown,
    private readonly settings: JobJournalSettings,
    private readonly after = Number.NEGATIVE_INFINITY,
  ) {
    this.idempotencyKey = session.runtime.newId();
    const start = startEntryPrefix(address, request);
    this.#own = journalEntryName(start, this.idempotencyKey.slice(-12));
    this.#journal = new StartJournal(session, settings, address, start);
  }

  /** The name of this start's own entry, or of the earlier entry that this start continues. */
  get entry(): string {
    return "name" in this.#state ? this.#state.name : this.#own;
  }

  get removal(): string | undefined {
    const { unwritten } = this.session.starts;
    const asked = this.#state.is === "doubtful" ? this.#state.asked : [this.#own];
    const files = asked.filter((name) => !unwritten.has(name)).map((name) => `${name}.json`);
    return files.length === 0 ? undefined : `remove ${files.join(" and ")} from the journal in ${this.#journal.place}`;
  }

  #enter(step: string, next: StartState): void {
    const id = "entry" in next ? `, job ${next.entry.id}` : "";
    const name = parseEntryFileName(this.entry).intent;
    this.session.debug(this.address, `start ${name}: ${this.#state.is}, ${step}, ${next.is}${id}`);
    this.#state = next;
  }

  async before(): Promise<void> {
    const session = this.session;
    session.mustEnd();
    this.#intendedAt = session.runtime.clock.now();
    // From now on, this process waits for this start before it ends. Even if nothing is sent, the start can then still
    // remove its entry.
    session.sent(this);
    try {
      await session.allNoted();
      const seen = await this.#look();
      await this.#journal.warnOfLostJournal();
      if (!session.sharesAddresses) {
        await this.#journal.warnOfJobsLeft();
      }
      await this.#intend();
      await this.#lookAgain(seen);
    } catch (error) {
      session.answered(this);
      throw error;
    }
  }

  /**
   * Looks for journal entries about the same request.
   * @returns the names of the entries that exist before this start writes its own.
   * @throws if an earlier start must be continued, or may have reached the platform.
   */
  async #look(): Promise<ReadonlySet<string>> {
    const { sharesAddresses, starts } = this.session;
    const doubtful: JournalEntryWithName[] = [];
    const { found: others, unusable } = await this.#others();
    const torn = unusable.find(({ name }) => !this.#isTaken(name));
    if (torn !== undefined) {
      // The entry is noted as touched, so that another resource with the same address does not ask the user about it
      // again.
      starts.touched.add(torn.name);
      throw unusableEntryError(torn, this.#journal.place);
    }
    for (const found of others) {
      const entry = await this.#journal.whenComplete(found);
      if (entry === undefined || this.#isTaken(entry.name)) {
        continue;
      }
      if (entry.id === undefined) {
        doubtful.push(entry);
      } else {
        await this.#takeUp(entry, entry.id);
      }
    }
    const [first, ...more] = doubtful.filter(({ name }) => !this.#isTaken(name));
    if (first === undefined) {
      this.#enter("look", { is: "looked" });
      return new Set(others.map(({ name }) => name));
    }
    const asked = [first, ...(sharesAddresses ? [] : more)].map(({ name }) => name);
    for (const name of asked) {
      starts.touched.add(name);
    }
    this.#enter("look", { is: "doubtful", asked });
    throw lostAnswerError(this.#senderOf(first.name), first.intendedAt, this.removal);
  }

  /**
   * Removes the entry of an earlier start if the state has the job, or had it before, or if the job is older than
   * `after`. The program then wants a new job. An entry that may belong to another resource stays.
   * @throws AlreadyStartedError in every other case. The resource then continues the job.
   */
  async #takeUp({ name, ...entry }: JournalEntryWithName, id: string): Promise<void> {
    const session = this.session;
    const { intendedAt, acceptedAt, platformTime, handedOver } = entry;
    const isOlder = (platformTime ?? Number.POSITIVE_INFINITY) < this.after;
    const savedInState = isOlder ? "gone" : await session.savedInState(this.address, id);
    if (this.#isTaken(name)) {
      return;
    }
    if (savedInState === "saved") {
      await this.#journal.drop(name);
    } else if (savedInState === "gone" && (handedOver || isOlder)) {
      session.warn(
        this.address,
        `${this.#senderOf(name)} started ${id} with the same request at ${formatIsoTime(intendedAt)}, and this run does not use it. If no state has it, adopt it.`,
      );
      // If resources share the address, the entry stays, because it may belong to another resource.
      if (!session.sharesAddresses) {
        await this.#journal.drop(name);
      }
    } else {
      session.starts.touched.add(name);
      session.starts.continued.add(id);
      this.#enter("look", { is: "continued", name, entry });
      const isDated = platformTime !== undefined && acceptedAt !== undefined;
      const earliestBegin = isDated ? platformTime - (acceptedAt - intendedAt) : undefined;
      throw new AlreadyStartedError(id, intendedAt, acceptedAt, earliestBegin, this.#senderOf(name));
    }
  }

  async #intend(): Promise<void> {
    this.#intendedAt = this.session.runtime.clock.now();
    this.session.starts.touched.add(this.#own);
    try {
      await this.#journal.write(this.#own, this.#newEntry());
    } catch (error) {
      if (this.settings.journal.required) {
        // The write has failed, but the journal may contain the entry, so the entry is removed.
        await this.#takeBack();
        throw unusableJournalError("written", this.#journal.place, error);
      }
      this.#journal.warnOnce(error);
    }
    this.#enter("intend", { is: "intended" });
  }

  /**
   * Reads the journal once more, after this process has written its own entry. If another process has written an entry
   * since the first look, this process sends nothing. The other process may do the same, and then no request is sent.
   * If the engine of this process has ended, this process also sends nothing.
   */
  async #lookAgain(seen: ReadonlySet<string>): Promise<void> {
    const session = this.session;
    try {
      const { found, unusable } = await this.#others();
      const late = found.find(({ name }) => !seen.has(name));
      if (late !== undefined) {
        throw startInProgressError(late.owner);
      }
      const [torn] = unusable;
      if (torn !== undefined) {
        throw unusableEntryError(torn, this.#journal.place);
      }
      if (session.signal.aborted || !(await session.hasEngine())) {
        throw new RunCancelledError();
      }
    } catch (error) {
      await this.#takeBack();
      throw error;
    }
    this.#enter("lookAgain", { is: "sent" });
  }

  async refused(): Promise<void> {
    await this.#takeBack();
    this.session.answered(this);
  }

  async #takeBack(): Promise<void> {
    await this.#journal.drop(this.#own);
    this.#enter("takeBack", { is: "new" });
  }

  async accepted(id: string, { isAnswered = true, platformTime }: AcceptedStart = {}): Promise<void> {
    const { runtime, starts, sharesAddresses } = this.session;
    const earlier = this.#state.is === "doubtful" ? this.#state.asked : [];
    starts.touched.add(this.#own);
    try {
      const entry = {
        ...this.#newEntry(),
        id,
        ...(isAnswered && { acceptedAt: runtime.clock.now() }),
        ...(platformTime !== undefined && { platformTime }),
      };
      this.#enter("accept", { is: "accepted", name: this.#own, entry });
      await this.#journal.write(this.#own, entry);
      await this.#journal.drop(...earlier);
      if (sharesAddresses) {
        // With shared addresses, the journal also lists the jobs of other resources. The warning comes only after the
        // start: by then, those resources may have continued their jobs, and the warning leaves such jobs out.
        await this.#journal.warnOfJobsLeft();
      }
    } catch (error) {
      this.#journal.warnOnce(error, ` about ${id}`);
    } finally {
      this.session.answered(this);
    }
  }

  /**
   * Writes into the journal that the engine has received the result. Called when the run ends normally. If this run has
   * deleted a continued job, nothing is written. A write would create the removed entry again.
   */
  async handOver(): Promise<void> {
    const state = this.#state;
    const { continued } = this.session.starts;
    const isKept = state.is === "accepted" || (state.is === "continued" && continued.has(state.entry.id ?? ""));
    if (isKept && (await this.session.hasEngine())) {
      this.#enter("handOver", { ...state, is: "handedOver" });
      await this.#journal.write(state.name, { ...state.entry, handedOver: true }).catch(() => {});
    }
  }

  async discard(why: "failed" | "unknown"): Promise<void> {
    const state = this.#state;
    if (state.is !== "accepted" && state.is !== "continued") {
      return;
    }
    // This run no longer continues the job, so a resource with this job may be deleted.
    this.session.starts.continued.delete(state.entry.id ?? "");
    this.#enter("discard", { is: "new" });
    // Resources that share an address may use keys of several organisations. If the job is unknown for the key of this
    // resource, another resource may find it with another key. So the entry stays.
    if (why === "failed" || !this.session.sharesAddresses) {
      await this.#journal.drop(state.name);
    }
  }

  async adopted(id: string, begin?: number): Promise<void> {
    await this.#journal.dropAdopted(id, begin);
    this.#enter("adopt", { is: "adopted" });
  }

  async #others(): ReturnType<StartJournal["look"]> {
    const others = await this.#journal.look((name) => name !== this.#own && !this.#isTaken(name));
    if (!this.session.sharesAddresses) {
      return others;
    }
    return { ...others, found: others.found.filter(({ owner }) => !this.session.isOtherProcessOfRun(owner)) };
  }

  #isTaken(name: string): boolean {
    return this.session.sharesAddresses && this.session.starts.touched.has(name);
  }

  #senderOf(name: string): "an earlier run" | "this run" {
    return this.session.starts.sent.has(name) ? "this run" : "an earlier run";
  }

  #newEntry(): JournalEntry {
    const { runtime } = this.session;
    const owner = runtime.self(this.session.engineAddress());
    return { intendedAt: this.#intendedAt, idempotencyKey: this.idempotencyKey, owner };
  }
}
