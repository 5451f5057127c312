import type { Machine, Process } from "./machine";

/** What goes wrong with a store, each time at the cost of one fault. */
export interface StoreHabits {
  /** Each operation costs a request, so that a plan asks for none. */
  isRemote?: boolean;
  /** A put is stored, and its answer is lost: the caller hears that it failed. */
  losesAnswers?: boolean;
  /** A write, or a look, fails. */
  fails?: boolean;
  /** A list may lack what other processes have put. */
  listsLate?: boolean;
}

/** Texts with names, as a folder or a bucket keeps them. */
export class ModelStore {
  readonly texts = new Map<string, string>();
  /** Every text that was ever put. */
  readonly everPut: string[] = [];
  readonly #writers = new Map<string, Process>();

  constructor(
    private readonly machine: Machine,
    readonly habits: StoreHabits = {},
  ) {}

  put(process: Process, name: string, text: string): Promise<void> {
    const { losesAnswers, fails } = this.habits;
    const faults = [...(losesAnswers ? ["stored, and answered 503"] : []), ...(fails ? ["fails"] : [])];
    return this.machine.step(
      process,
      `writes ${short(name)} ${idIn(text)}`,
      (fault) => {
        if (fault !== "fails") {
          this.texts.set(name, text);
          this.everPut.push(text);
          this.#writers.set(name, process);
        }
        if (fault !== undefined) {
          throw new Error(fault);
        }
      },
      faults,
    );
  }

  get(process: Process, name: string): Promise<string | undefined> {
    return this.machine.step(
      process,
      `reads ${short(name)}`,
      (fault) => failOr(fault, this.texts.get(name)),
      this.#looking,
    );
  }

  list(process: Process, prefix: string): Promise<string[]> {
    const late = this.habits.listsLate && this.texts.size > 0 ? ["lacks what others have put"] : [];
    return this.machine.step(
      process,
      "lists",
      (fault) => {
        const names = [...this.texts.keys()].filter((name) => name.startsWith(prefix));
        return fault === late[0] && fault !== undefined
          ? names.filter((name) => this.#writers.get(name) === process)
          : failOr(fault, names);
      },
      [...late, ...this.#looking],
    );
  }

  remove(process: Process, name: string): Promise<void> {
    return this.machine.step(
      process,
      `removes ${short(name)}`,
      (fault) => {
        failOr(fault, undefined);
        this.texts.delete(name);
      },
      this.#looking,
    );
  }

  get #looking(): string[] {
    return this.habits.fails ? ["fails"] : [];
  }
}

function failOr<T>(fault: string | undefined, value: T): T {
  if (fault !== undefined) {
    throw new Error(fault);
  }
  return value;
}

function short(name: string): string {
  return `…${name.slice(-12)}`;
}

function idIn(text: string): string {
  const { id = "intended" } = JSON.parse(text);
  return String(id);
}
