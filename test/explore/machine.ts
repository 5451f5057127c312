import { setTimeout as realRest } from "node:timers/promises";
import type { Owner } from "../../provider/journal/owner";
import type { Clock } from "../../provider/support/time/clock";
import type { Option, Schedule } from "./schedule";

/** The longest time for loading a module; milliseconds. */
const longestLoad = 5_000;

/** The next step of a process. Its effect and its answer come together, or not at all. */
interface Pending {
  process: Process;
  label: string;
  /** The end of the pause, if the step is a pause. */
  due: number | undefined;
  faults: readonly string[];
  take(fault: string | undefined): void;
}

/** A process of the provider, with the engine that started it. */
export class Process {
  isAlive = true;
  hasEngine = true;

  constructor(
    readonly pid: number,
    readonly name: string,
    private readonly host: string,
  ) {}

  get owner(): Owner {
    return { host: this.host, pid: this.pid, began: "1", engine: `engine ${this.pid}` };
  }
}

/**
 * How a run may end at each step of its provider. `engine dies`: the provider continues without its engine. `provider
 * dies`: the engine continues without its provider.
 */
export type End = "kill" | "engine dies" | "Ctrl-C" | "Ctrl-C twice" | "provider dies";

/** The ends that a person causes, and the end of a whole machine. */
export const outerEnds: readonly End[] = ["kill", "engine dies", "Ctrl-C", "Ctrl-C twice"];
export const everyEnd: readonly End[] = [...outerEnds, "provider dies"];

/** The possible ends of one process's run, and the reaction of its engine. */
export interface Ends {
  options: readonly End[];
  /** A first Ctrl-C. */
  cancel(): void;
  /** Makes the engine see its calls fail. */
  loseProvider(): void;
}

/**
 * A machine with its own clock. It takes only the steps that its processes announce, one at a time, in the order that a
 * schedule chooses.
 */
export class Machine {
  time = Date.parse("2026-03-01T00:00:00.000Z");
  #pending: Pending[] = [];
  readonly #processes: Process[] = [];
  /** The steps of this process come first. */
  #front: Process | undefined;
  /** The process whose run may end. */
  #ending: Process | undefined;
  #ends: Ends | undefined;
  #die = (): void => {};
  #ids = 0;

  constructor(
    readonly schedule: Schedule,
    /**
     * True if a step of another process may come before a step of the process in front. Each such step costs one
     * "turn".
     */
    readonly interleaves = false,
  ) {}

  spawn(name: string, host = "machine"): Process {
    const process = new Process(1_000 + this.#processes.length, name, host);
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
    this.#ids++;
    return `${this.#ids.toString(16).padStart(12, "0")}`;
  }

  kill(process: Process): void {
    process.isAlive = false;
    this.#pending = this.#pending.filter((step) => step.process !== process);
  }

  /**
   * Announces a step. If its process has ended, the step is never taken, and the promise stays open.
   * @param take performs the effect, and returns the answer for the process. If it throws, the process gets the error.
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
   * Runs the machine until this work is done.
   * @param ends decides at each step how the run of the process in front may end.
   * @returns "ended" if the process was killed; "abandoned" if its engine ended by itself, or by a second Ctrl-C.
   */
  async run<T>(front: Process, ends: Ends | undefined, working: Promise<T>): Promise<T | "ended" | "abandoned"> {
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
    this.#ends = ends;
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

  /** Runs one process until it only pauses. */
  async drain(process: Process): Promise<void> {
    this.#front = process;
    this.#ends = undefined;
    for (let steps = 0; steps < 200; steps++) {
      await quiet();
      if (!process.isAlive || !this.#takeNext()) {
        return;
      }
    }
  }

  /** @returns false if no step is left. */
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
    const ends = first.process === this.#ending && first.due === undefined ? (this.#ends?.options ?? []) : [];
    const endings = ends.map((label) => ({ label, costs: "end" as const }));
    const faults = first.faults.map((label) => ({ label: `${first.label}: ${label}`, costs: "fault" as const }));
    const chosen = this.schedule.choose([...options, ...endings, ...faults]);
    const end = ends[chosen - options.length];
    if (end === undefined) {
      this.#take(candidates[chosen] ?? first, first.faults[chosen - options.length - ends.length]);
    } else if (!this.#end(first.process, end)) {
      this.#take(first, undefined);
    }
    return true;
  }

  /** @returns false if the step happens nevertheless. */
  #end(process: Process, how: End): boolean {
    process.hasEngine = !["kill", "engine dies"].includes(how);
    if (how === "kill" || how === "provider dies") {
      this.kill(process);
    }
    if (how === "provider dies") {
      this.#ends?.loseProvider();
    } else if (how.startsWith("Ctrl-C")) {
      this.#ends?.cancel();
    }
    if (how === "engine dies" || how === "Ctrl-C twice") {
      this.#die();
    }
    return how !== "Ctrl-C";
  }

  /**
   * Lists the possible next steps. Other steps come before pauses. Each process has only its oldest step, because it
   * waits for most of its steps.
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
    // Several operations of one process run at the same time.
    return this.interleaves ? [front, ...ofFront.slice(1, 3), ...behind] : [front];
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

/** Resolves when everything that the last step caused has finished. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const chance = Math.random;
let stories = 0;

/**
 * Plays a story without random numbers: the provider varies its pauses by them, and a schedule must always be the same
 * story.
 */
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
