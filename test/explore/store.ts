import type { Machine, Process } from "./machine";

/** Each fault of a store reduces the schedule's budget of faults. */
export interface StoreHabits {
  /** A plan does not read a remote store, because each read costs a request. */
  isRemote?: boolean;
  /** A put may store the text and then fail, because its answer is lost. */
  losesAnswers?: boolean;
  /** A read or a write may fail. */
  fails?: boolean;
  /** A process may lose its access to the store. It does not get the access back. */
  goes?: boolean;
  /** The power may fail while an entry is written. The entry then contains half of the text, zeros, or nothing. */
  tears?: boolean;
  /** The list of entries may lack those that other processes have just written. */
  listsLate?: boolean;
}

const lost = "stored, and answered 503";
const late = "lacks what others have put";
const failing = "fails";
/** The text that remains after a power failure during a put. */
const torn: Readonly<Record<string, (text: string) => string>> = {
  "is cut off, and leaves nothing": () => "",
  "is cut off, and leaves half of it": (text) => text.slice(0, text.length / 2),
  "is cut off, and leaves zeros": (text) => "\0".repeat(text.length),
};
export const unreachableStore = "is gone";

export class ModelStore {
  readonly texts = new Map<string, string>();
  /** Every text that was ever written. */
  readonly everPut: string[] = [];
  readonly #writers = new Map<string, Process>();
  /** The processes that have lost the store. */
  readonly #gone = new Set<Process>();

  constructor(
    private readonly machine: Machine,
    readonly habits: StoreHabits = {},
  ) {}

  async put(process: Process, name: string, text: string): Promise<void> {
    const put = () => {
      this.texts.set(name, text);
      this.everPut.push(text);
      this.#writers.set(name, process);
    };
    const faults = [...(this.habits.losesAnswers ? [lost] : []), ...(this.habits.tears ? Object.keys(torn) : [])];
    await this.#step<void>(process, `writes ${short(name)} ${idIn(text)}`, faults, (fault) => {
      put();
      const left = torn[fault ?? ""];
      if (left !== undefined) {
        this.texts.set(name, left(text));
        process.hasEngine = false;
        this.machine.kill(process);
        return new Promise<never>(() => {});
      }
      if (fault === lost) {
        throw new Error(lost);
      }
    });
  }

  keyOf(name: string): string | undefined {
    const text = this.everPut.findLast((one) => one.includes(name.slice(-12)));
    return text && JSON.parse(text).idempotencyKey;
  }

  /** Returns every id that an entry has ever recorded for this Idempotency-Key. */
  idsOf(key: string): string[] {
    const entries = this.everPut.map((text): { idempotencyKey: string; id?: string } => JSON.parse(text));
    return entries.flatMap(({ idempotencyKey, id }) => (idempotencyKey === key && id !== undefined ? [id] : []));
  }

  get(process: Process, name: string): Promise<string | undefined> {
    return this.#step(process, `reads ${short(name)}`, [], () => this.texts.get(name));
  }

  list(process: Process, prefix: string): Promise<string[]> {
    const faults = this.habits.listsLate && this.texts.size > 0 ? [late] : [];
    return this.#step(process, "lists", faults, (fault) => {
      const names = [...this.texts.keys()].filter((name) => name.startsWith(prefix));
      return fault === late ? names.filter((name) => this.#writers.get(name) === process) : names;
    });
  }

  remove(process: Process, name: string): Promise<void> {
    return this.#step(process, `removes ${short(name)}`, [], () => {
      this.texts.delete(name);
    });
  }

  #step<T>(
    process: Process,
    label: string,
    more: readonly string[],
    take: (fault: string | undefined) => T | Promise<T>,
  ): Promise<T> {
    const { fails, goes } = this.habits;
    const faults = [...more, ...(fails ? [failing] : []), ...(goes ? [unreachableStore] : [])];
    const taken = (fault: string | undefined) => {
      if (fault === unreachableStore) {
        this.#gone.add(process);
      }
      if (fault === failing || this.#gone.has(process)) {
        throw new Error("it fails");
      }
      return take(fault);
    };
    return this.machine.step(process, label, taken, faults);
  }
}

function short(name: string): string {
  return `…${name.slice(-12)}`;
}

function idIn(text: string): string {
  const { id = "intended" } = JSON.parse(text);
  return String(id);
}
