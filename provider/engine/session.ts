import type { RawValues } from "../definitions/values";
import type { OwnerProcess } from "../journal/ownerProcess";
import type { PlatformClient } from "../platform/client";
import type { Settings } from "../settings/settings";
import { printable } from "../support/printable";
import type { Deadline } from "../support/time/deadline";
import { timeLimits } from "../support/time/timeLimits";
import { JobStartsOfThisProcess } from "./jobStartsOfThisProcess";
import { type RuntimeDependencies, systemDependencies } from "./runtime";

/**
 * `saved`: the host's state has the job. `unsaved`: the state does not have the job, and perhaps never had it. `gone`:
 * the state does not have the job, and no create was interrupted. So the state once had the job, or the engine never
 * received the job.
 */
export type JobPresenceInState = "saved" | "gone" | "unsaved";

export type LogMessageKind = "status" | "info" | "reason" | "warn" | "debug";

export abstract class Session {
  readonly #controller = new AbortController();
  readonly #done = new Set<string>();
  readonly #inFlight = new Map<object, { answered: Promise<void>; end: () => void }>();
  readonly #atTheEnd: (() => Promise<unknown>)[] = [];
  readonly #entryCleanup: Promise<void>[] = [];
  /** The cleanup tasks that cost requests. They run only if a start is planned. */
  readonly #costlyCleanup: (() => Promise<void>)[] = [];

  readonly signal: AbortSignal = this.#controller.signal;
  /** True if a plan of the host is binding: it must show every change that the run may make. */
  readonly planBinds: boolean = false;
  /** True if several resources of one kind have the same address, because the host passes no exact address. */
  readonly sharesAddresses: boolean = false;
  /** True if the host replaces, in the next run, a resource whose create failed. */
  readonly replacesFailed: boolean = false;
  /**
   * True if this process can look a job up in the host's state. Otherwise, only a later call shows what the host has
   * saved.
   */
  readonly asksState: boolean = true;
  readonly starts = new JobStartsOfThisProcess();
  readonly made = new Set<string>();
  readonly bundlesDue = new Map<string, Deadline>();

  constructor(readonly runtime: RuntimeDependencies = systemDependencies) {}

  readonly status = this.#teller("status");
  readonly info = this.#teller("info");
  readonly reason = this.#teller("reason");
  readonly warn = this.#teller("warn");
  readonly debug = this.#teller("debug");
  /** Shows one line to the user in the host's display. The line must contain no secret and no control character. */
  protected abstract show(how: LogMessageKind, address: string | undefined, line: string): void;
  abstract engineAddress(): string | undefined;
  abstract savedInState(address: string, id: string): Promise<JobPresenceInState>;
  async savedState(_address: string): Promise<RawValues | undefined> {
    return undefined;
  }
  async wasCutOff(_address: string): Promise<boolean> {
    return false;
  }
  #teller(how: LogMessageKind) {
    return (address: string | undefined, text: string) => this.show(how, address, printable(text));
  }

  /** Makes this process call {@link end} before it ends. Called once. */
  protected abstract watchEnd(): void;

  cancel(): void {
    this.#controller.abort();
  }

  /** Returns true if this process's engine still runs, or if this is unknown. */
  async hasEngine(): Promise<boolean> {
    const engine = this.engineAddress();
    return engine === undefined || this.runtime.areProcessAndEngineRunning(this.runtime.self(engine));
  }

  /**
   * Returns true for another process of this run, even after that process has ended. Terraform starts one process for
   * each configuration of the provider. So two processes of a run never have the same resource.
   */
  isOtherProcessOfRun({ host, engine, pid }: OwnerProcess): boolean {
    if (engine !== this.engineAddress()) {
      return false;
    }
    const self = this.runtime.self(engine);
    return host === self.host && pid !== self.pid;
  }

  /** Returns true at the first call with this name, and false at every later call. */
  once(what: string): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }

  /**
   * Makes this process complete its remaining work before it ends. Must be called before the first start is recorded.
   */
  mustEnd(): void {
    if (this.once("watch the end")) {
      this.watchEnd();
    }
  }

  /** Connects to the platform. The client is loaded here, at the first request, because most runs send none. */
  async connect(settings: Settings): Promise<PlatformClient> {
    const { connect } = await import("../platform/connect.js");
    return connect(settings, (line) => this.debug(undefined, line));
  }

  sent(start: object): void {
    const { promise: answered, resolve: end } = Promise.withResolvers<void>();
    this.#inFlight.set(start, { answered, end });
  }

  answered(start: object): void {
    this.#inFlight.get(start)?.end();
    this.#inFlight.delete(start);
  }

  async allAnswered(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map(({ answered }) => answered));
  }

  note(cleanup: Promise<void>): void {
    this.#entryCleanup.push(cleanup);
  }

  /** Like {@link note}, but the cleanup runs only if a start is planned, because it costs requests. */
  noteForStart(cleanup: () => Promise<void>): void {
    this.#costlyCleanup.push(cleanup);
  }

  /**
   * Notes that a start is planned. The costly cleanup then runs at the end of the plan, and removes the entry of each
   * job that a state contains.
   */
  planStart(): void {
    if (this.once("clean up for a start")) {
      this.atTheEnd(() => Promise.all(this.#costlyCleanup.map((clean) => clean())));
    }
  }

  async allNoted(): Promise<void> {
    await Promise.all(this.#entryCleanup);
  }

  /**
   * Runs `record` when the run ends normally. At that time, the host has already saved the results, or has lost them.
   */
  atTheEnd(record: () => Promise<unknown>): void {
    this.#atTheEnd.push(record);
  }

  /** Completes the remaining work before this process ends: waits a limited time for answers and for the journal. */
  async end(): Promise<void> {
    const recorded = this.#atTheEnd.map((record) => record());
    const rest = Promise.all([this.allAnswered(), this.allNoted(), ...recorded]);
    await Promise.race([rest, this.runtime.clock.sleep(timeLimits.runEnd)]);
  }
}
