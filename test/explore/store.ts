import type { Machine, Process } from "./machine";

/** The faults of a store. Each occurrence costs one fault. */
export interface StoreHabits {
  /** Each operation costs a request, so a plan asks for nothing. */
  isRemote?: boolean;
  /** A put is stored, and its answer is lost, so the caller gets an error. */
  losesAnswers?: boolean;
  /** A write, or a look, fails. */
  fails?: boolean;
  /** The store is gone from some moment to the end of the process, for readers or for writers, or wholly. */
  goes?: boolean | "wholly";
  /** An operation takes longer than callers wait. */
  isSlow?: boolean;
  /** A list may lack what other processes have put. */
  listsLate?: boolean;
  /** No operation works. */
  isNone?: boolean;
}

const lost = "stored, and answered 503";
const late = "lacks what others have put";
const slow = "takes twenty seconds";
const failing = { reading: "fails", writing: "fails" };
const going = { reading: "is gone for reading", writing: "is gone for writing" };
export const whollyGone = "is gone";

/** Texts by their names, as a folder or a bucket keeps them. */
export class ModelStore {
  readonly lasting = ["texts", "everPut", "putAtWork"];
  readonly texts = new Map<string, string>();
  /** Every text that was ever stored. */
  readonly everPut: string[] = [];
  /** The texts that a process began to put while its engine was alive. */
  readonly putAtWork: string[] = [];
  readonly #writers = new Map<string, Process>();
  /** The processes for which the store is gone, and for which operations. */
  readonly #gone = new Map<Process, readonly ("reading" | "writing")[]>();

  readonly #machine: Machine;

  constructor(
    machine: Machine,
    readonly habits: StoreHabits = {},
  ) {
    this.#machine = machine;
  }

  put(process: Process, name: string, text: string): Promise<void> {
    const put = () => {
      this.#machine.changes++;
      this.texts.set(name, text);
      this.everPut.push(text);
      this.#writers.set(name, process);
    };
    const faults = this.habits.losesAnswers ? [lost] : [];
    if (process.hasEngine) {
      this.putAtWork.push(text);
    }
    return this.#step(process, "writing", `writes ${short(name)} ${idIn(text)}`, faults, (fault) => {
      put();
      if (fault === lost) {
        throw new Error(lost);
      }
    });
  }

  /** The Idempotency-Key of the entry whose name ends with this. */
  keyOf(code: string): string | undefined {
    const [, text] = [...this.texts].find(([name]) => name.endsWith(code)) ?? [];
    return text && JSON.parse(text).idempotencyKey;
  }

  /** The ids that were ever recorded with this Idempotency-Key. */
  idsOf(key: string): string[] {
    const entries = this.everPut.map((text): { idempotencyKey: string; id?: string } => JSON.parse(text));
    return entries.flatMap(({ idempotencyKey, id }) => (idempotencyKey === key && id !== undefined ? [id] : []));
  }

  get(process: Process, name: string): Promise<string | undefined> {
    return this.#step(process, "reading", `reads ${short(name)}`, [], () => this.texts.get(name));
  }

  list(process: Process, prefix: string): Promise<string[]> {
    const faults = this.habits.listsLate && this.texts.size > 0 ? [late] : [];
    return this.#step(process, "reading", "lists", faults, (fault) => {
      const names = [...this.texts.keys()].filter((name) => name.startsWith(prefix));
      return fault === late ? names.filter((name) => this.#writers.get(name) === process) : names;
    });
  }

  remove(process: Process, name: string): Promise<void> {
    return this.#step(process, "writing", `removes ${short(name)}`, [], () => {
      this.#machine.changes++;
      this.texts.delete(name);
    });
  }

  #step<T>(
    process: Process,
    what: "reading" | "writing",
    label: string,
    more: readonly string[],
    take: (fault: string | undefined) => T,
  ): Promise<T> {
    const { fails, goes, isSlow } = this.habits;
    const isGone = goes === "wholly" ? whollyGone : going[what];
    const faults = [...more, ...(fails ? [failing[what]] : []), ...(goes ? [isGone] : []), ...(isSlow ? [slow] : [])];
    const taken = (fault: string | undefined) => {
      if (fault === isGone) {
        this.#machine.changes++;
        this.#gone.set(process, goes === "wholly" ? ["reading", "writing"] : [what]);
      }
      if (fault === failing[what] || this.#gone.get(process)?.includes(what) || this.habits.isNone) {
        throw new Error("it fails");
      }
      if (fault === slow) {
        this.#machine.time += 20_000;
      }
      return take(fault);
    };
    return this.#machine.step(process, label, taken, faults);
  }
}

function short(name: string): string {
  return `…${name.slice(-12)}`;
}

function idIn(text: string): string {
  const { id = "intended" } = JSON.parse(text);
  return String(id);
}
