import { setTimeout as realSleep } from "node:timers/promises";
import type { OwnerProcess } from "../../provider/journal/ownerProcess";
import type { Clock } from "../../provider/support/time/clock";
import type { Option, Schedule } from "./schedule";

/** The longest time in milliseconds for loading a module. */
const longestLoad = 5_000;

/** The next step of a process. Its effect and its answer happen together. */
interface Pending {
  process: Process;
  label: string;
  /** Only for a pause: the time at which it is over. */
  due: number | undefined;
  faults: readonly string[];
  take(fault: string | undefined): void;
}

export class Process {
  isAlive = true;
  hasEngine = true;

  constructor(
    readonly pid: number,
    readonly name: string,
    private readonly host: string,
  ) {}

  get owner(): OwnerProcess {
    return { host: this.host, pid: this.pid, began: "1", engine: `engine ${this.pid}` };
  }
}

/**
 * The ways in which a run may end at a step of its provider. With `engine dies`, the provider continues without its
 * engine. With `provider dies`, the engine continues without its provider.
 */
export type RunStop = "kill" | "engine dies" | "Ctrl-C" | "Ctrl-C twice" | "provider dies";

export const outerStops: readonly RunStop[] = ["kill", "engine dies", "Ctrl-C", "Ctrl-C twice"];
export const everyStop: readonly RunStop[] = [...outerStops, "provider dies"];

export interface StopHandlers {
  options: readonly RunStop[];
  cancel(): void;
  /** Makes the engine's open calls fail, because the provider has ended. */
  loseProvider(): void;
}

/**
 * A simulated machine with its own clock. Its processes announce their steps, and the machine takes one step at a time.
 * The schedule chooses the order.
 */
export class Machine {
  time = Date.parse("2026-03-01T00:00:00.000Z");
  #pending: Pending[] = [];
  readonly #processes: Process[] = [];
  #front: Process | undefined;
  #ending: Process | undefined;
  #stops: StopHandlers | undefined;
  #die = (): void => {};
  #ids = 0;

  constructor(
    readonly schedule: Schedule,
    /** True if another process's step may come before a step of the front process. Each such step costs one "turn". */
    readonly interleaves = false,
  ) {}

  spawn(name: string, host = "machine"): Process {
    const process = new Process(1_000 + this.#processes.length, name, host);
    this.#processes.push(process);
    return process;
  }

  /** Returns a process by its id, even if the process has ended. */
  processOf({ pid }: OwnerProcess): Process | undefined {
    return this.#processes.find((process) => process.pid === pid);
  }

  /** Returns the owner's process, or undefined if it runs on another machine. */
  seen(by: Process, owner: OwnerProcess): Process | undefined {
    return owner.host === by.owner.host ? this.processOf(owner) : undefined;
  }

  newId(): string {
    this.#ids++;
    return `${this.#ids.toString(16).padStart(12, "0")}`;
  }

  kill(process: Process): void {
    process.isAlive = false;
    this.#pending = this.#pending.filter((step) => step.process !== process);
  }

  /**
   * Announces a step, and resolves with the answer when the machine takes the step. If the process ends first, the
   * promise never settles.
   * @param take does the effect, and returns the answer. If it throws, the promise is rejected.
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
      now: () => this.time,
      monotonic: () => this.time,
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

  /**
   * Takes steps until this work is done.
   * @param stops the ways in which the front process's run may end. At each step, the schedule may choose one.
   * @returns "ended" if the front process was killed, "abandoned" if only its engine ended, and otherwise the work's
   * result.
   */
  async run<T>(
    front: Process,
    stops: StopHandlers | undefined,
    working: Promise<T>,
  ): Promise<T | "ended" | "abandoned"> {
    const { promise: died, resolve: die } = Promise.withResolvers<"abandoned">();
    this.#die = () => die("abandoned");
    const work = Promise.race([working, died]);
    let result: { value: T | "abandoned" } | { error: unknown } | undefined;
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
    this.#stops = stops;
    for (let idle = 0; ; ) {
      await quiet();
      if (result !== undefined) {
        if ("error" in result) {
          throw result.error;
        }
        return result.value;
      }
      if (!front.isAlive) {
        return "ended";
      }
      // The process may be loading a module, so the machine waits.
      if (this.#takeNext()) {
        idle = 0;
      } else if (idle < longestLoad) {
        idle++;
        await realSleep(1);
      } else {
        throw new Error(`nothing is left to happen: ${this.schedule.story.join(" / ")}`);
      }
    }
  }

  /** Takes steps until the process has ended, or no step is announced. The steps of this process come first. */
  async drain(process: Process): Promise<void> {
    this.#front = process;
    this.#stops = undefined;
    for (let steps = 0; steps < 200; steps++) {
      await quiet();
      if (!process.isAlive || !this.#takeNext()) {
        return;
      }
    }
  }

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
    const stops = first.process === this.#ending && first.due === undefined ? (this.#stops?.options ?? []) : [];
    const endings = stops.map((label) => ({ label, costs: "end" as const }));
    const faults = first.faults.map((label) => ({ label: `${first.label}: ${label}`, costs: "fault" as const }));
    const chosen = this.schedule.choose([...options, ...endings, ...faults]);
    const end = stops[chosen - options.length];
    if (end === undefined) {
      this.#take(candidates[chosen] ?? first, first.faults[chosen - options.length - stops.length]);
    } else if (!this.#end(first.process, end)) {
      this.#take(first, undefined);
    }
    return true;
  }

  /** @returns false only after one Ctrl-C. The caller must then still take the announced step of `process`. */
  #end(process: Process, how: RunStop): boolean {
    process.hasEngine = !["kill", "engine dies"].includes(how);
    if (how === "kill" || how === "provider dies") {
      this.kill(process);
    }
    if (how === "provider dies") {
      this.#stops?.loseProvider();
    } else if (how.startsWith("Ctrl-C")) {
      this.#stops?.cancel();
    }
    if (how === "engine dies" || how === "Ctrl-C twice") {
      this.#die();
    }
    return how !== "Ctrl-C";
  }

  /**
   * Returns the oldest steps of the processes, because a process usually waits for its oldest step. A pause is returned
   * only if no process has another step.
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
      return this.interleaves ? behind : behind.slice(0, 1);
    }
    // The front process may do several operations at the same time, so its second or third step may come first.
    return this.interleaves ? [front, ...ofFront.slice(1, 3), ...behind] : [front];
  }

  #take(step: Pending, fault: string | undefined): void {
    this.#pending = this.#pending.filter((other) => other !== step);
    this.time += 10;
    const label = step.due === undefined ? step.label : "";
    if (label !== "") {
      this.schedule.log(`${step.process.name}: ${label}${fault === undefined ? "" : ` [${fault}]`}`);
    }
    step.take(fault);
  }
}

/** Waits until the code after the last step has run. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const chance = Math.random;
let stories = 0;

/** The provider varies its pauses at random, but the same schedule must always give the same story. */
export async function withoutChance<T>(story: () => Promise<T>): Promise<T> {
  stories++;
  Math.random = () => 0.5;
  try {
    return await story();
  } finally {
    stories--;
    Math.random = stories === 0 ? chance : Math.random;
  }
}
