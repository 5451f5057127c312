import type { RawValues } from "../definitions/values";
import type { Journal } from "../journal/journal";
import type { PlatformClient } from "../platform/client";
import type { Settings } from "../settings/settings";
import { timeLimits } from "../support/time/timeLimits";
import { Trace } from "./trace";
import { systemWorld, type World } from "./world";

/**
 * The host's state, as far as it is about a job. `saved`: the state has the job. `gone`: the state does not have the
 * job, and no create was cut off; if the job was handed over, it was saved, and has left the state since. `unsaved`:
 * the job may never have been saved.
 */
export type Standing = "saved" | "gone" | "unsaved";

/**
 * The run, as this process knows it: the cancellation, the requests whose answer is awaited, the results given to
 * the host, and the end of the run. A host adds the ways to talk to it. A test makes its own session.
 */
export abstract class Session {
  readonly #controller = new AbortController();
  readonly #done = new Set<string>();
  readonly #inFlight = new Map<object, { answered: Promise<void>; end: () => void }>();
  /** The functions that record the handed-over starts when this process is told to end. */
  readonly #atTheEnd: (() => Promise<void>)[] = [];
  /** The removals of saved entries that are in progress. The calls of the host do not wait for them. */
  readonly #evidence = new Set<Promise<void>>();

  /** The names of the entries that earlier processes left in a journal, by the journal's place. */
  readonly #left = new Map<string, Promise<readonly string[]>>();

  /** Aborts when the run is cancelled (the first Ctrl-C). */
  readonly signal: AbortSignal = this.#controller.signal;
  /** Sends spans to a collector of traces, if there is one. */
  readonly trace = new Trace({
    environment: process.env,
    debug: (text) => this.debug(undefined, text),
    begin: () => this.mustEnd(),
  });
  /** True if the engine holds a run to its plan: the plan must show all that the run may change. */
  readonly planBinds: boolean = false;
  /** True if resources of one kind have the same address, since the host receives no better address. */
  readonly sharesAddresses: boolean = false;
  /** The names of the journal's entries that this process has made, taken up or asked about. */
  readonly touched = new Set<string>();
  /** The ids of what this run has created: a job among them is one of the platform of this run. */
  readonly made = new Set<string>();
  /** The ids of the jobs that a create of this run has taken from the journal instead of starting new ones. */
  readonly resumed = new Set<string>();

  constructor(readonly world: World = systemWorld) {}

  /** Shows a text while the resource is at work. */
  abstract status(address: string | undefined, text: string): void;
  /** Shows a text that stays visible. */
  abstract info(address: string | undefined, text: string): void;
  /** Says why a plan has something to do although no input has changed. */
  reason(address: string | undefined, text: string): void {
    this.info(address, text);
  }
  /** Shows a permanent warning. */
  abstract warn(address: string | undefined, text: string): void;
  /** Writes to the debug log of a run, and shows the text nowhere else. */
  abstract debug(address: string | undefined, text: string): void;
  /** Returns the address of the engine that this process works for, if there is one. */
  abstract engineAddress(): string | undefined;
  /** Returns what the host's state says about the job with this id. */
  abstract standing(address: string, id: string): Promise<Standing>;
  /** Returns the state that the host has of a resource, if the host can be asked. */
  async savedState(_address: string): Promise<RawValues | undefined> {
    return undefined;
  }
  /** Called once. From now on this process must end by {@link end}. */
  protected abstract watchEnd(): void;

  cancel(): void {
    this.#controller.abort();
  }

  /** Returns true if the engine of this process still runs, or if this is not known. */
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

  /**
   * Makes this process end in order from now on. Called before the first start is recorded, and before the first span.
   */
  mustEnd(): void {
    if (this.once("watch the end")) {
      this.watchEnd();
    }
  }

  /** Connects to the platform. The client is loaded here, at the first request, since most runs send none. */
  async connect(settings: Settings): Promise<PlatformClient> {
    const { compileWebAssemblyOnce } = await import("./webAssembly.js");
    compileWebAssemblyOnce();
    const { connect } = await import("../platform/connect.js");
    return connect(settings, (line) => this.debug(undefined, line));
  }

  /** Notes that a start is about to be recorded and sent. This process should not end before the start is answered. */
  sent(start: object): void {
    const { promise: answered, resolve: end } = Promise.withResolvers<void>();
    this.#inFlight.set(start, { answered, end });
  }

  /** Notes that a start is answered, or that no answer will come any more. */
  answered(start: object): void {
    this.#inFlight.get(start)?.end();
    this.#inFlight.delete(start);
  }

  /** Resolves when every start is answered, or no longer awaited. */
  async allAnswered(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map(({ answered }) => answered));
  }

  /**
   * Returns the entries that earlier processes left in a journal. The journal is listed once: later runs find the
   * entries that others add meanwhile.
   */
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
   * Runs `record` when this process sees the run end in order: by that time the host has saved the results of its calls,
   * or its state shows that it has not.
   */
  atTheEnd(record: () => Promise<void>): void {
    this.#atTheEnd.push(record);
  }

  /**
   * Completes the remaining work before this process ends, so that answers, journal entries and spans that come soon
   * are not lost.
   */
  async end(): Promise<void> {
    const recorded = this.#atTheEnd.map((record) => record());
    const rest = Promise.all([this.allAnswered(), this.allNoted(), this.trace.end(), ...recorded]);
    await Promise.race([rest, this.world.clock.sleep(timeLimits.runEnd)]);
  }
}
