import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformClient } from "../platform/client";
import type { Settings } from "../support/settings";
import { Trace } from "./trace";

/** A host kills a provider that has not ended five seconds after it was told to; milliseconds. */
const endTime = 4_000;

/**
 * What this process knows of the run that it serves: its cancellation, the requests whose answer is awaited, what the host
 * was given, and the run's end. All of it is here; a host adds how it is spoken to. A test makes one of its own.
 */
export abstract class Session {
  readonly #controller = new AbortController();
  #cancellations = 0;
  #operations = 0;
  readonly #done = new Set<string>();
  readonly #inFlight = new Map<object, { answered: Promise<void>; end: () => void }>();
  /** For what the host was given and may not have saved: what removes its entry from the journal. */
  readonly #unsaved = new Set<() => Promise<void>>();
  /** Evidence of earlier calls is being written beside the calls of the host, which do not wait for it. */
  readonly #evidence = new Set<Promise<void>>();

  /** Aborts when the run is cancelled (the first Ctrl-C). */
  readonly signal: AbortSignal = this.#controller.signal;
  /** What this process tells a collector of traces, where there is one. */
  readonly trace = new Trace({
    environment: process.env,
    debug: (text) => this.debug(undefined, text),
    begin: () => this.mustEnd(),
  });
  /** True where the engine holds a run to its plan: all that the run may change must show there. */
  readonly planBinds: boolean = false;
  /** True where resources of one kind have the same address, since the host is told no better one. */
  readonly sharesAddresses: boolean = false;
  /** The entries of the journal that are about a start of this process. */
  readonly #entries = new Set<string>();
  #choosing: Promise<unknown> = Promise.resolve();
  /** The ids that a create of this run has taken from the journal in place of a new start. */
  readonly resumed = new Set<string>();

  /** Shown while the resource is at work. */
  abstract status(address: string | undefined, text: string): void;
  /** Shows a text that stays. */
  abstract info(address: string | undefined, text: string): void;
  /** Shows a warning that stays. */
  abstract warn(address: string | undefined, text: string): void;
  /** Writes to the log of a run that is debugged; nobody else sees it. */
  abstract debug(address: string | undefined, text: string): void;
  /** The address of the engine that this process works for, where it has one. */
  abstract engineAddress(): string | undefined;
  /** Whether the host's state has a resource with this id; undefined where it cannot be asked. */
  abstract hasSaved(address: string, id: string): Promise<boolean | undefined>;
  /** Called once: from now on this process must end by {@link end}. */
  protected abstract watchEnd(): void;

  cancel(): void {
    this.#cancellations++;
    this.#controller.abort();
  }

  get cancellations(): number {
    return this.#cancellations;
  }

  /** @returns true at the first call with this name. */
  once(what: string): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }

  /** Called before the first start is recorded, and before the first span: something is left to do at the end. */
  mustEnd(): void {
    if (this.once("watch the end")) {
      this.watchEnd();
    }
  }

  /** The client is loaded here, at the first request, since most runs send none. */
  async connect(settings: Settings): Promise<PlatformClient> {
    const { compileWebAssemblyOnce } = await import("./webAssembly.js");
    compileWebAssemblyOnce();
    const { connect } = await import("../platform/connect.js");
    return connect(settings, (line) => this.debug(undefined, line));
  }

  /** Runs a create or an update: an engine that ends in good order has waited for them. */
  async operation<T>(work: () => Promise<T>): Promise<T> {
    this.#operations++;
    try {
      return await work();
    } finally {
      this.#operations--;
    }
  }

  /** A start is sent, and not answered yet. */
  sent(start: object): void {
    let end = () => {};
    const answered = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#inFlight.set(start, { answered, end });
  }

  /** Whatever has not been answered by now will not be. */
  answered(start: object): void {
    this.#inFlight.get(start)?.end();
    this.#inFlight.delete(start);
  }

  /** Resolves when all starts are answered, or given up. */
  async allAnswered(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map(({ answered }) => answered));
  }

  /** In a cancelled run, nothing tells whether the host still saves what it is given: that entry stays. */
  handOver(remove: () => Promise<void>): void {
    if (!this.signal.aborted) {
      this.#unsaved.add(remove);
    }
  }

  /**
   * The first of these entries that no other start of this process has: one that the journal has already, else a new one.
   * @param names of resources that nothing tells apart: whichever takes up what an earlier run has begun, each entry is taken once.
   */
  chooseEntry(names: readonly string[], isThere: (name: string) => Promise<boolean>): Promise<string | undefined> {
    const choose = async () => {
      const free = names.filter((name) => !this.#entries.has(name));
      const there = await Promise.all(free.map(isThere));
      const chosen = free.find((_, index) => there[index]) ?? free[0];
      this.#entries.add(chosen ?? "");
      return chosen;
    };
    const chosen = this.#choosing.then(choose);
    this.#choosing = chosen.catch(() => {});
    return chosen;
  }

  note(evidence: Promise<void>): void {
    const task = evidence.finally(() => this.#evidence.delete(task));
    this.#evidence.add(task);
  }

  async allNoted(): Promise<void> {
    await Promise.all(this.#evidence);
  }

  /**
   * Does what is left to do before this process ends.
   * @param isSaved whether the host has saved what it was given, as far as no operation is under way. Else the entries stay.
   */
  async end(isSaved: boolean): Promise<void> {
    const inOrder = isSaved && this.#operations === 0;
    const work = inOrder ? Promise.all([...this.#unsaved].map((remove) => remove())) : this.allAnswered();
    await Promise.race([Promise.all([work, this.trace.end()]), sleep(endTime)]);
  }
}
