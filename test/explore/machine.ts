import { setTimeout as realRest } from "node:timers/promises";
import type { Owner } from "../../provider/journal/owner";
import type { LeaseHolder } from "../../provider/mirror/leases";
import type { Clock } from "../../provider/support/time/clock";
import type { Option, Schedule } from "./schedule";

/** How long a module may take to load; milliseconds. */
const longestLoad = 5_000;

/** A step that a process is about to take. Its effect and its answer come together, or not at all. */
interface Pending {
  process: Process;
  label: string;
  /** The end of a rest, if the step is one. */
  due: number | undefined;
  faults: readonly string[];
  take(fault: string | undefined): void;
}

/** A process of the provider, with the engine that started it. */
export class Process {
  isAlive = true;
  hasEngine = true;

  readonly #host: string;

  constructor(
    readonly pid: number,
    readonly name: string,
    host: string,
  ) {
    this.#host = host;
  }

  get owner(): Owner {
    return { host: this.#host, pid: this.pid, began: "1", engine: `engine ${this.pid}` };
  }
}

/** Decides whether a step of the process in front ends a run. */
export interface Ends {
  options: readonly EndOption[];
  /** Returns a value that changes with everything that outlives a process. */
  changes(): string;
  /** @returns false if the step is taken all the same. */
  happen(label: string): boolean;
}

interface EndOption extends Option {
  /** True if nothing of the process outlives this end. Two such ends count as one if nothing has changed between them. */
  leavesNothing: boolean;
}

/**
 * A machine with a clock of its own. It only takes the steps that its processes announce, one at a time, in the order
 * that a schedule chooses.
 */
export class Machine {
  readonly lasting = ["time", "changes", "ids", "spawned"];
  time = Date.parse("2026-03-01T00:00:00.000Z");
  /** True if a step may start work on real files, which takes a while. */
  usesFiles = false;
  /** The number of changes of what outlives a process. */
  changes = 0;
  #pending: Pending[] = [];
  readonly #processes: Process[] = [];
  /** Its steps come first. */
  #front: Process | undefined;
  /** The process whose run may end. */
  #ending: Process | undefined;
  #ends: Ends | undefined;
  #changesAtEnd = "";
  ids = 0;
  /** The number of processes since the beginning. */
  spawned = 0;

  /**
   * True if a step of a process behind may come before a step of the process in front. That costs one "turn". With "for
   * good" that process is then in front.
   */
  readonly #interleaves: boolean | "for good";

  constructor(
    readonly schedule: Schedule,
    interleaves: boolean | "for good" = false,
  ) {
    this.#interleaves = interleaves;
    // The provider varies its rests by chance. Here it does not, so that a schedule is always the same story.
    Math.random = () => 0.5;
  }

  spawn(name: string, host = "machine"): Process {
    const process = new Process(1_000 + this.spawned++, name, host);
    this.#processes.push(process);
    return process;
  }

  /** @returns undefined, too, for a process that has ended before a rest. */
  processOf({ pid }: Owner): Process | undefined {
    return this.#processes.find((process) => process.pid === pid);
  }

  /** Returns what a process can see of another process. It sees nothing of a process on another machine. */
  seen(by: Process, owner: Owner): Process | undefined {
    return owner.host === by.owner.host ? this.processOf(owner) : undefined;
  }

  newId(): string {
    this.ids++;
    return `${this.ids.toString(16).padStart(12, "0")}`;
  }

  kill(process: Process): void {
    process.isAlive = false;
    this.#pending = this.#pending.filter((step) => step.process !== process);
  }

  /**
   * Announces a step. If its process has ended, the step is never taken and the promise stays open.
   * @param take performs the effect, and returns the answer for the process. The process receives its errors.
   */
  step<T>(
    process: Process,
    label: string,
    take: (fault: string | undefined) => T | Promise<T>,
    faults: readonly string[] = [],
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (process.isAlive) {
        const taken = async (fault: string | undefined) => take(fault);
        this.#pending.push({
          process,
          label,
          due: undefined,
          faults,
          take: (fault) => void taken(fault).then(resolve, reject),
        });
      }
    });
  }

  clockOf(process: Process): Clock {
    return {
      machine: "machine",
      now: () => this.time,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) {
            reject(signal.reason);
            return;
          }
          const due = this.time + ms;
          const rest: Pending = {
            process,
            label: "rest",
            due,
            faults: [],
            take: () => {
              this.time = Math.max(this.time, due);
              resolve();
            },
          };
          if (process.isAlive) {
            this.#pending.push(rest);
            signal?.addEventListener("abort", () => {
              this.#pending = this.#pending.filter((other) => other !== rest);
              reject(signal.reason);
            });
          }
        }),
    };
  }

  /** How a process shows others that it is at work at a mirror's place. */
  leaseHolderOf(process: Process): LeaseHolder {
    return {
      clock: this.clockOf(process),
      newId: () => this.newId(),
      name: JSON.stringify(process.owner),
      hasEnded: (name) => {
        const owner: Owner = JSON.parse(name);
        return owner.host === process.owner.host && !this.processOf(owner)?.isAlive;
      },
    };
  }

  /**
   * Lets the machine work until this is done.
   * @param ends decides at each step how the run of the process in front may end.
   */
  async run<T>(front: Process, ends: Ends | undefined, work: Promise<T>): Promise<T | "ended"> {
    let result: { value: T } | { error: unknown } | undefined;
    work.then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        result = { error };
      },
    );
    this.#front = front;
    this.#ending = front;
    this.#ends = ends;
    this.#changesAtEnd = "";
    for (let idle = 0; ; ) {
      await quiet(this.usesFiles);
      if (result !== undefined) {
        if ("error" in result) {
          throw result.error;
        }
        return result.value;
      }
      if (!front.isAlive) {
        return "ended";
      }
      // The first import of a module takes a while.
      if (this.#takeNext()) {
        idle = 0;
      } else if (idle < longestLoad) {
        idle++;
        await realRest(1);
      } else {
        throw new Error(`nothing is left to happen: ${this.schedule.story.join(" / ")}`);
      }
    }
  }

  /** Lets one process work until only rests are left. */
  async drain(process: Process): Promise<void> {
    this.#front = process;
    this.#ends = undefined;
    for (let steps = 0; steps < 200; steps++) {
      await quiet(this.usesFiles);
      if (!process.isAlive || !this.#takeNext()) {
        return;
      }
    }
  }

  /** @returns false if nothing is left. */
  #takeNext(): boolean {
    const candidates = this.#candidates();
    const [first] = candidates;
    if (first === undefined) {
      return false;
    }
    const options: Option[] = candidates.map(({ process, label }) => ({
      label: `${process.name} comes first: ${label}`,
      costs: "turn",
    }));
    options[0] = { label: first.label };
    const ends = first.process === this.#ending && first.due === undefined ? this.#ends : undefined;
    const endings = this.#endings(ends);
    const faults = first.faults.map((label) => ({ label: `${first.label}: ${label}`, costs: "fault" }));
    const chosen = this.schedule.choose([...options, ...endings, ...faults]);
    if (chosen < options.length) {
      if (chosen > 0 && this.#interleaves === "for good") {
        this.#front = candidates[chosen]?.process;
      }
      this.#take(candidates[chosen] ?? first, undefined);
      return true;
    }
    const ending = endings[chosen - options.length];
    if (ending === undefined) {
      this.#take(first, first.faults[chosen - options.length - endings.length]);
      return true;
    }
    if (!ends?.happen(ending.label)) {
      this.#take(first, undefined);
    }
    return true;
  }

  #endings(ends: Ends | undefined): readonly EndOption[] {
    if (ends === undefined || !this.schedule.comparesStates) {
      return ends?.options ?? [];
    }
    const changes = ends.changes();
    const isNew = changes !== this.#changesAtEnd;
    this.#changesAtEnd = changes;
    return ends.options.filter(({ leavesNothing }) => isNew || !leavesNothing);
  }

  /**
   * Lists the possible next steps: steps before rests, and only the oldest step of each process, since a process waits
   * for most of its own.
   */
  #candidates(): Pending[] {
    const steps = this.#pending.filter(({ due }) => due === undefined);
    if (steps.length === 0) {
      const [first] = [...this.#pending].sort((a, b) => (a.due ?? 0) - (b.due ?? 0));
      return first === undefined ? [] : [first];
    }
    const ofFront = steps.filter(({ process }) => process === this.#front);
    const behind = this.#processes
      .filter((process) => process !== this.#front)
      .flatMap((process) => steps.find((step) => step.process === process) ?? []);
    const front = ofFront[0];
    if (front === undefined) {
      return this.#interleaves ? behind : behind.slice(0, 1);
    }
    // Several operations of one process go on at the same time.
    return this.#interleaves ? [front, ...ofFront.slice(1, 3), ...behind] : [front];
  }

  #take(step: Pending, fault: string | undefined): void {
    this.#pending = this.#pending.filter((other) => other !== step);
    this.time += 10;
    const told = step.due === undefined ? step.label : "";
    if (told !== "") {
      this.schedule.tell(`${step.process.name}: ${told}${fault === undefined ? "" : ` [${fault}]`}`);
    }
    step.take(fault);
  }
}

/** Resolves when everything that the last step has caused has come to rest. */
async function quiet(usesFiles: boolean): Promise<void> {
  await turn();
  while (usesFiles && process.getActiveResourcesInfo().some((kind) => kind.startsWith("FSReq"))) {
    await realRest(1);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
