import type { Entry, Journal } from "../journal/journal";
import type { PlatformClient } from "../platform/client";
import type { Settings } from "../settings/settings";
import { Trace } from "./trace";
import { systemWorld, type World } from "./world";

/** A host kills a provider that has not ended five seconds after it was told to; milliseconds. */
const endTime = 4_000;

/**
 * `saved`: the state has it. `gone`: the state does not have it, and no run was cut off while it was created; if it was
 * handed over, it was saved, and has left the state since. `unsaved`: it may never have been saved.
 */
export type Standing = "saved" | "gone" | "unsaved";

/** What an entry says of the host: see {@link Entry}. */
export type HandOver = Pick<Entry, "handedOver" | "answered">;

/**
 * What this process knows of the run that it serves: its cancellation, the requests whose answer is awaited, what the host
 * was given, and the run's end. All of it is here; a host adds how it is spoken to. A test makes one of its own.
 */
export abstract class Session {
  readonly #controller = new AbortController();
  readonly #done = new Set<string>();
  readonly #inFlight = new Map<object, { answered: Promise<void>; end: () => void }>();
  /** What is recorded of starts once this process is told to end. */
  readonly #atTheEnd: (() => Promise<void>)[] = [];
  /** Evidence of earlier calls is being written beside the calls of the host, which do not wait for it. */
  readonly #evidence = new Set<Promise<void>>();

  /** The names of the entries that earlier processes left in a journal, by the journal's place. */
  readonly #left = new Map<string, Promise<readonly string[]>>();

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
  /** The names of the journal's entries that this process has made, taken up or asked about. */
  readonly touched = new Set<string>();
  /** The ids that a create of this run has taken from the journal in place of a new start. */
  readonly resumed = new Set<string>();

  constructor(readonly world: World = systemWorld) {}

  /** Shown while the resource is at work. */
  abstract status(address: string | undefined, text: string): void;
  /** Shows a text that stays. */
  abstract info(address: string | undefined, text: string): void;
  /** Says why a plan has something to do where no input has changed. */
  reason(address: string | undefined, text: string): void {
    this.info(address, text);
  }
  /** Shows a warning that stays. */
  abstract warn(address: string | undefined, text: string): void;
  /** Writes to the log of a run that is debugged; nobody else sees it. */
  abstract debug(address: string | undefined, text: string): void;
  /** The address of the engine that this process works for, where it has one. */
  abstract engineAddress(): string | undefined;
  /** How the host's state stands to what was started under this id. */
  abstract standing(address: string, id: string): Promise<Standing>;
  /** Called once: from now on this process must end by {@link end}. */
  protected abstract watchEnd(): void;

  cancel(): void {
    this.#controller.abort();
  }

  /** Whether the engine of this process still runs, as far as it is known. */
  async hasEngine(): Promise<boolean> {
    const engine = this.engineAddress();
    return engine === undefined || this.world.isAtWork(this.world.self(engine));
  }

  /** @returns true at the first call with this name. */
  once(what: string): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }

  /** Called before the first start is recorded, and before the first span: this process may not end at any moment. */
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

  /** A start is about to be recorded and sent: this process should not end before it is answered. */
  sent(start: object): void {
    const { promise: answered, resolve: end } = Promise.withResolvers<void>();
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

  /** What earlier processes left in a journal, looked up once. What others add meanwhile is for later runs to find. */
  entriesLeft(journal: Journal): Promise<readonly string[]> {
    const left = this.#left.get(journal.place) ?? journal.list("").catch(() => []);
    this.#left.set(journal.place, left);
    return left;
  }

  note(evidence: Promise<void>): void {
    const task = evidence.finally(() => this.#evidence.delete(task));
    this.#evidence.add(task);
  }

  async allNoted(): Promise<void> {
    await Promise.all(this.#evidence);
  }

  /**
   * The host is about to receive what was started.
   * @param record writes that into the journal. Where this process sees the run end, that is the time for it: by then the
   * host has saved the result, or its state shows that it has not.
   */
  async handOver(_hasFailed: boolean, record: (how: HandOver) => Promise<void>): Promise<void> {
    this.#atTheEnd.push(() => record({ handedOver: true }));
  }

  /** Does what is left to do before this process ends: no answer, no evidence and no span is lost that comes soon. */
  async end(): Promise<void> {
    const recorded = this.#atTheEnd.map((record) => record());
    const rest = Promise.all([this.allAnswered(), this.allNoted(), this.trace.end(), ...recorded]);
    await Promise.race([rest, this.world.clock.sleep(endTime)]);
  }
}
