import type { RawValues } from "../../provider/definitions/values";
import { Session, type Standing } from "../../provider/engine/session";
import type { World } from "../../provider/engine/world";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import type { Ends, Machine, Process } from "./machine";
import type { ModelPlatform } from "./platform";
import type { Command, DeclaredResource } from "./program";
import { type Backend, EngineRun } from "./pulumiRun";

/** The habits of a generation of the engine. */
export interface EngineHabits {
  /**
   * True if the engine retries a failed create by an update in the same step, before it saves (hooks of newer engines).
   */
  retriesByUpdate?: boolean;
  /** True if the engine saves only when the run ends, after its providers have ended. */
  savesAtTheEnd?: boolean;
  /** True if the engine makes a replacement of each update (`replaceOnChanges: ["*"]`). */
  replacesOnChanges?: boolean;
  /** True if `stack export` works. */
  canExport?: boolean;
  /** True if a checkpoint may be refused. That costs one fault. */
  checkpointMayFail?: boolean;
  /** True if a journal that does not work is only a warning. */
  journalIsOptional?: boolean;
}

export interface RunResult {
  /** The value `ended` if the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  /** The provider has ended by itself. */
  isCutOff?: boolean;
  /** All texts that a person was shown. */
  texts: string[];
  /** The errors among them, by the name of the resource. */
  problems: ReadonlyMap<string, string>;
}

/** The ways in which a run may end at each step of its provider. */
export type End = "kill" | "engine dies" | "Ctrl-C" | "Ctrl-C twice" | "provider dies";

/** The ends that a person causes, or the end of a machine. */
export const outerEnds: readonly End[] = ["kill", "engine dies", "Ctrl-C", "Ctrl-C twice"];
export const everyEnd: readonly End[] = [...outerEnds, "provider dies"];

/** Each of them costs one "end". */
export function optionsOf(ends: readonly End[]): Pick<Ends, "options"> {
  const leavesNothing = (end: End) => end === "kill" || end === "provider dies";
  return { options: ends.map((label) => ({ label, costs: "end", leavesNothing: leavesNothing(label) })) };
}

export class ModelSession extends Session {
  readonly texts: string[] = [];
  readonly problems = new Map<string, string>();

  readonly #platform: ModelPlatform;
  readonly #asks: (urn: string, id: string) => Promise<Standing>;

  constructor(
    readonly process: Process,
    platform: ModelPlatform,
    asks: (urn: string, id: string) => Promise<Standing>,
    world: World,
    override readonly savedState: (urn: string) => Promise<RawValues | undefined> = async () => undefined,
  ) {
    super(world);
    this.#platform = platform;
    this.#asks = asks;
  }

  status(): void {}
  info(_: string | undefined, text: string): void {
    this.texts.push(text);
  }
  warn(_: string | undefined, text: string): void {
    this.texts.push(text);
  }
  debug(): void {}
  engineAddress(): string {
    return this.process.owner.engine;
  }
  override async connect(settings: Settings): Promise<PlatformClient> {
    return this.#platform.clientOf(this.process, settings);
  }
  standing(urn: string, id: string): Promise<Standing> {
    return this.#asks(urn, id);
  }
  protected watchEnd(): void {}
}

/** A model of the Pulumi engine around the provider's real code. */
export class PulumiEngine {
  readonly lasting = ["backend", "runs"];
  /** The processes whose engine is gone. */
  readonly orphans: Process[] = [];
  runs = 0;

  readonly #machine: Machine;
  readonly #platform: ModelPlatform;
  readonly #worldOf: (process: Process) => World;
  readonly #habits: EngineHabits;
  readonly #name: string;

  constructor(
    machine: Machine,
    platform: ModelPlatform,
    worldOf: (process: Process) => World,
    readonly program: readonly DeclaredResource[],
    habits: EngineHabits = {},
    readonly backend: Backend = {},
    name = "run",
  ) {
    this.#machine = machine;
    this.#platform = platform;
    this.#worldOf = worldOf;
    this.#habits = habits;
    this.#name = name;
  }

  get canExport(): boolean {
    return this.#habits.canExport ?? true;
  }

  async run(command: Command, ends: readonly End[]): Promise<RunResult> {
    const machine = this.#machine;
    const { process, session, run } = this.#begin(command);
    const { texts, problems } = session;
    const ended: RunResult = { outcome: "ended", texts, problems };
    const { promise: died, resolve: die } = Promise.withResolvers<"dead">();
    const happen = (label: string): boolean => {
      switch (label as End) {
        case "kill":
          process.hasEngine = false;
          machine.kill(process);
          return true;
        case "provider dies":
          machine.kill(process);
          run.loseProvider();
          return true;
        case "engine dies":
          process.hasEngine = false;
          die("dead");
          return true;
        case "Ctrl-C":
          run.cancel();
          return false;
        default:
          run.cancel();
          die("dead");
          return true;
      }
    };
    const changes = () => [machine.changes, texts.length].join();
    const result = await machine.run(
      process,
      { ...optionsOf(ends), changes, happen },
      Promise.race([run.steps(), died]),
    );
    if (result === "dead" && process.hasEngine) {
      // After a second Ctrl-C the engine ends, and ends its providers by a signal.
      await machine.run(process, undefined, session.end());
      process.hasEngine = false;
      machine.kill(process);
      return ended;
    }
    if (result === "dead") {
      this.orphans.push(process);
      void this.#watchEngine(process, session);
      return ended;
    }
    if (result === "ended" && process.hasEngine) {
      return { ...ended, outcome: "red", isCutOff: true };
    }
    return result === "ended" ? ended : { ...ended, outcome: result ? "green" : "red" };
  }

  /**
   * Runs one command beside another engine on the same backend. The caller lets the machine work until both are done.
   */
  async runBeside(command: Command): Promise<RunResult> {
    const { session, run } = this.#begin(command);
    const { texts, problems } = session;
    return { outcome: (await run.steps()) ? "green" : "red", texts, problems };
  }

  #begin(command: Command) {
    const { program, backend } = this;
    const habits = this.#habits;
    const machine = this.#machine;
    const process = machine.spawn(`${this.#name} ${++this.runs}`, command.elsewhere ? "another machine" : "machine");
    const asks = (urn: string, id: string) => this.#export(process, urn, id);
    const savedState = (urn: string) => this.#savedState(process, urn);
    const session = new ModelSession(process, this.#platform, asks, this.#worldOf(process), savedState);
    machine.schedule.tell(`--- ${process.name}: ${describe(command)}`);
    return { process, session, run: new EngineRun(machine, session, program, backend, habits, command) };
  }

  /** Ends as the provider does without its engine: after all its requests are answered. */
  async #watchEngine(process: Process, session: Session): Promise<void> {
    const clock = this.#machine.clockOf(process);
    await clock.sleep(2_000);
    await session.allAnswered();
    this.#machine.schedule.tell(`${process.name}: ends, since its engine is gone`);
    this.#machine.kill(process);
  }

  #savedState(process: Process, urn: string): Promise<RawValues | undefined> {
    const saved = () => this.backend[urn.split("::").at(-1) ?? ""]?.saved?.state;
    return this.#machine.step(process, "asks stack export", () => (this.canExport ? saved() : undefined));
  }

  #export(process: Process, urn: string, id: string): Promise<Standing> {
    const { canExport } = this;
    return this.#machine.step(process, "asks stack export", () => {
      const { saved, old = [], isPending } = this.backend[urn.split("::").at(-1) ?? ""] ?? {};
      if (!canExport) {
        return "unsaved";
      }
      const isSaved = [saved, ...old].some((one) => one?.id === id);
      return isSaved ? "saved" : isPending || this.#habits.savesAtTheEnd ? "unsaved" : "gone";
    });
  }
}

function describe({ kind, replace, targets, refreshes, elsewhere }: Command): string {
  return [
    kind,
    ...(refreshes ? ["--refresh"] : []),
    ...(replace?.length ? [`--replace ${replace}`] : []),
    ...(targets ? [`--target ${targets}`] : []),
    ...(elsewhere ? ["on another machine"] : []),
  ].join(" ");
}
