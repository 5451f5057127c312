import {
  findEntry,
  type Journal,
  type JournalEntry,
  type JournalEntryWithName,
  readEntries,
  resourceEntryNamePrefix,
  type UnusableEntry,
} from "../journal/journal";
import type { OwnerProcess } from "../journal/ownerProcess";
import { jobStartClockTolerance } from "../resources/pendingStart";
import type { JournalSettings } from "../settings/settings";
import { unlessInterrupted } from "../support/abort";
import { RunCancelledError } from "../support/errors";
import { Deadline } from "../support/time/deadline";
import { delays } from "../support/time/delays";
import { formatIsoTime } from "../support/time/duration";
import type { Session } from "./session";
import {
  journalDisappearedError,
  journalDisappearedWarning,
  startInProgressError,
  unusableEntryError,
  unusableJournalError,
  unusableJournalWarning,
} from "./startErrors";

export interface JobJournalSettings {
  journal: JournalSettings;
  requestTimeout: number;
}

interface Seen {
  found: JournalEntryWithName[];
  unusable: UnusableEntry[];
}

const nothing: Seen = { found: [], unusable: [] };

export class StartJournal {
  /** The names of the resource's entries that the last {@link look} has listed. */
  #seen: readonly string[] = [];

  constructor(
    private readonly session: Session,
    private readonly settings: JobJournalSettings,
    private readonly address: string,
    private readonly start: string,
  ) {}

  get #journal(): Journal {
    return this.session.runtime.journal(this.settings.journal.place);
  }

  get place(): string {
    return this.#journal.place;
  }

  #read(names: readonly string[]): Promise<Seen> {
    const own = names.filter((name) => name.startsWith(`${this.start}.`));
    return readEntries(this.#journal, own, this.session.runtime.clock.now());
  }

  /**
   * Returns the entries of earlier starts with the same request: the entries in the journal, and the entries of the
   * requests that this process has sent. If the journal fails, the user gets a warning. If the journal is required, the
   * failure is an error.
   */
  async look(isWanted: (name: string) => boolean): Promise<Seen> {
    const sent = [...this.session.starts.sent].filter(([name]) => name.startsWith(`${this.start}.`) && isWanted(name));
    const own = new Map(sent);
    const isOther = ({ name }: { name: string }) => !own.has(name);
    const { found, unusable } = await this.#lookInJournal(isWanted);
    const known = sent.map(([name, entry]) => ({ ...entry, name }));
    return { found: [...found.filter(isOther), ...known], unusable: unusable.filter(isOther) };
  }

  async #lookInJournal(isWanted: (name: string) => boolean): Promise<Seen> {
    try {
      const listed = this.#journal.list(resourceEntryNamePrefix(this.start)).then((names) => {
        this.#seen = names;
        return this.#read(names.filter(isWanted));
      });
      return await unlessInterrupted(listed, this.session.signal);
    } catch (error) {
      if (error instanceof RunCancelledError) {
        throw error;
      }
      if (this.settings.journal.required) {
        throw unusableJournalError("read", this.place, error);
      }
      this.warnOnce(error);
      return nothing;
    }
  }

  /**
   * Warns once about each job that an earlier run started with other inputs, because no run will follow that job any
   * more. This function uses the list from {@link look}, and never makes a start fail.
   */
  async warnOfJobsLeft(): Promise<void> {
    const { runtime, starts, asksState } = this.session;
    const others = this.#seen.filter((name) => !name.startsWith(`${this.start}.`));
    const { found } = await readEntries(this.#journal, others, runtime.clock.now()).catch(() => ({ found: [] }));
    for (const { name, id, intendedAt, owner, handedOver } of found) {
      const isOpen = id !== undefined && !handedOver && !starts.touched.has(name);
      const isLeft = isOpen && !runtime.isRunning(owner) && !this.session.isOtherProcessOfRun(owner);
      const isSaved = isLeft && (await this.session.savedInState(this.address, id)) === "saved";
      if (isLeft && !isSaved && this.session.once(`warn of ${name}`)) {
        this.session.warn(
          this.address,
          `an earlier run with other inputs started ${id} at ${formatIsoTime(intendedAt)}, and ${asksState ? "was cut off" : "no run has read a state with it since"}: this run does not use it. It may continue, and prevent new starts if the platform allows one job at a time. If no other resource has it, adopt it to use it.`,
        );
      }
    }
  }

  /**
   * Warns if a create of this resource was interrupted, but this machine's journal is new. Another machine then has
   * the entry. The check takes a second, so a start waits for it only if the journal is required.
   * @throws JournalError instead of the warning, if the journal is required.
   */
  async warnOfLostJournal(): Promise<void> {
    if (!(await this.session.starts.isNew(this.#journal))) {
      return;
    }
    const wasCutOff = this.session.wasCutOff(this.address);
    if (!this.settings.journal.required) {
      void wasCutOff.then((was) => was && this.session.warn(this.address, journalDisappearedWarning(this.place)));
    } else if (await wasCutOff) {
      throw journalDisappearedError(this.place);
    }
  }

  write(name: string, entry: JournalEntry): Promise<void> {
    return this.session.starts.write(this.#journal, name, entry);
  }

  drop(...names: readonly string[]): Promise<void> {
    return this.session.starts.drop(this.#journal, ...names);
  }

  /**
   * Removes the entries of earlier starts with the same request, because one of them may have created the job `id` that
   * the resource now adopts.
   * @param begin the time at which the job began, if known: milliseconds since the epoch, by this machine's clock.
   */
  async dropAdopted(id: string, begin = Number.POSITIVE_INFINITY): Promise<void> {
    const { runtime, sharesAddresses, starts } = this.session;
    const { touched } = starts;
    const isFree = (name: string) => !touched.has(name);
    const left = await starts.entriesLeft(this.#journal);
    const { found, unusable } = await this.#read(left).catch(() => nothing);
    const gone = found.filter(({ name, owner }) => isFree(name) && !runtime.isRunning(owner));
    const known = gone.filter((entry) => entry.id === id);
    // A request that was sent after the job began did not start the job.
    const lost = gone.filter((entry) => entry.id === undefined && entry.intendedAt < begin + jobStartClockTolerance);
    const torn = unusable.filter(({ name }) => isFree(name));
    // If resources share the address, some entries may belong to other resources. So the entries with this job's id are
    // removed. If no entry has this id, only one entry is removed: the first entry of an unknown job.
    const dropped = sharesAddresses ? (known.length > 0 ? known : [...lost, ...torn].slice(0, 1)) : [...gone, ...torn];
    for (const { name } of dropped) {
      // Another export may adopt a job at the same time. It leaves out the names in `touched`, so it removes a different
      // entry.
      touched.add(name);
    }
    await this.drop(...dropped.map(({ name }) => name));
  }

  /**
   * Waits until another process has completed its entry, or cannot complete it any more. The wait is needed because a
   * process whose engine has ended may still write the platform's answer into its entry.
   * @returns undefined if the entry was removed.
   * @throws JournalError if the other process and its engine are still running.
   */
  async whenComplete(found: JournalEntryWithName): Promise<JournalEntryWithName | undefined> {
    const { runtime, signal } = this.session;
    const self = runtime.self(undefined);
    const end = Deadline.in(this.settings.requestTimeout, runtime.clock);
    let entry = found;
    while (!isSame(entry.owner, self)) {
      // This check comes before the read: if the other process has ended by now, the read shows its last write.
      const mayChange = runtime.isRunning(entry.owner) && !end.hasPassed;
      const isAtWork = await runtime.areProcessAndEngineRunning(entry.owner);
      const now = await findEntry(this.#journal, found.name).catch((why: unknown) => {
        throw unusableEntryError({ name: found.name, why }, this.place);
      });
      if (now === undefined) {
        return undefined;
      }
      entry = { ...now, name: found.name };
      if (isAtWork) {
        throw startInProgressError(entry.owner);
      }
      if (entry.id !== undefined || !mayChange) {
        return entry;
      }
      await runtime.clock.sleep(delays.entry, signal).catch(() => {
        throw new RunCancelledError();
      });
    }
    return entry;
  }

  warnOnce(error: unknown, unknown = " what this run has started"): void {
    if (this.session.once("warn of the journal")) {
      this.session.warn(this.address, unusableJournalWarning(this.place, error, unknown));
    }
  }
}

function isSame(one: OwnerProcess, other: OwnerProcess): boolean {
  return one.host === other.host && one.pid === other.pid && one.began === other.began;
}
