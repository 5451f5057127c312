import type { Runtime } from "../../provider/engine/runtime";
import { type SavedInState, Session, type Shown } from "../../provider/engine/session";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import type { DocsPlatformError } from "../../provider/support/errors";
import type { End, Machine, Process } from "./machine";
import type { ModelPlatform } from "./platform";
import type { Command, DeclaredResource } from "./program";
import { type Backend, EngineRun } from "./pulumiRun";
import type { Schedule } from "./schedule";
import { noteStep } from "./startSteps";

/** The habits of one version of the engine. */
export interface EngineHabits {
  /**
   * True if the engine retries a failed create by an update in the same step, before it saves (hooks of newer engines).
   */
  retriesByUpdate?: boolean;
  /** True if the engine calls a failed create again, three times at most (error hooks). */
  retriesByCreate?: boolean;
  /** True if a start needs no journal. */
  needsNoJournal?: boolean;
  /** True if the engine saves only when the run ends, after its providers have ended. */
  savesAtTheEnd?: boolean;
  /** True if the engine turns each update into a replacement (`replaceOnChanges: ["*"]`). */
  replacesOnChanges?: boolean;
  /** True if `stack export` works. */
  canExport?: boolean;
}

export interface ModelRunResult {
  /** The value `ended` if the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  /** All texts that a person was shown. */
  texts: string[];
  /** The errors among them, by the name of the resource. */
  problems: ReadonlyMap<string, DocsPlatformError>;
  /** The jobs that creates have continued from the journal. */
  resumed: readonly string[];
}

export class ModelSession extends Session {
  readonly texts: string[] = [];
  readonly problems = new Map<string, DocsPlatformError>();

  /** The jobs that creates have continued from the journal. */
  readonly continued: string[] = [];

  constructor(
    readonly process: Process,
    private readonly schedule: Schedule,
    private readonly platform: ModelPlatform,
    private readonly asks: (urn: string, id: string) => Promise<SavedInState>,
    runtime: Runtime,
  ) {
    super(runtime);
  }

  protected show(how: Shown, _: string | undefined, line: string): void {
    if (how === "debug") {
      this.continued.push(...[noteStep(line, this.schedule)].filter((id) => id !== undefined));
    } else if (how !== "status") {
      this.texts.push(line);
    }
  }
  engineAddress(): string {
    return this.process.owner.engine;
  }
  override async connect(settings: Settings): Promise<PlatformClient> {
    return this.platform.clientOf(this.process, settings);
  }
  savedInState(urn: string, id: string): Promise<SavedInState> {
    return this.asks(urn, id);
  }
  protected watchEnd(): void {}
}

/** A model of the Pulumi engine around the provider's real code. */
export class PulumiEngine {
  readonly backend: Backend = {};
  /** The processes whose engine is gone. */
  readonly orphans: Process[] = [];
  runs = 0;
  /** True until a run is on another machine. */
  isOneMachine = true;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => Runtime,
    readonly program: readonly DeclaredResource[],
    private readonly habits: EngineHabits = {},
  ) {}

  get canExport(): boolean {
    return this.habits.canExport ?? true;
  }

  /** False while a process still works although its engine has ended. */
  get isAtRest(): boolean {
    return this.orphans.every(({ isAlive }) => !isAlive);
  }

  async run(command: Command, ends: readonly End[]): Promise<ModelRunResult> {
    const machine = this.machine;
    const { process, session, run } = this.#begin(command);
    const { texts, problems } = session;
    const resumed = session.continued;
    const ended: ModelRunResult = { outcome: "ended", texts, problems, resumed };
    const loseProvider = () => run.loseProvider();
    const result = await machine.run(process, { options: ends, cancel: () => run.cancel(), loseProvider }, run.steps());
    if (result === "abandoned" && process.hasEngine) {
      // After a second Ctrl-C the engine ends, and ends its providers by a signal.
      await machine.run(process, undefined, session.end());
      process.hasEngine = false;
      machine.kill(process);
      return ended;
    }
    if (result === "abandoned") {
      this.orphans.push(process);
      void this.#watchEngine(process, session);
      return ended;
    }
    if (result === "ended") {
      return process.hasEngine ? { ...ended, outcome: "red" } : ended;
    }
    return { ...ended, outcome: result ? "green" : "red" };
  }

  #begin(command: Command) {
    const { program, backend } = this;
    const habits = this.habits;
    const machine = this.machine;
    this.isOneMachine &&= !command.elsewhere;
    const process = machine.spawn(`run ${++this.runs}`, command.elsewhere ? "another machine" : "machine");
    const asks = (urn: string, id: string) => this.#export(process, urn, id);
    const session = new ModelSession(process, machine.schedule, this.platform, asks, this.worldOf(process));
    machine.schedule.tell(`--- ${process.name}: ${describe(command)}`);
    return { process, session, run: new EngineRun(machine, session, program, backend, habits, command) };
  }

  /** Ends like the provider without its engine: after all its requests are answered. */
  async #watchEngine(process: Process, session: Session): Promise<void> {
    const clock = this.machine.clockOf(process);
    await clock.sleep(2_000);
    await session.allAnswered();
    this.machine.schedule.tell(`${process.name}: ends, since its engine is gone`);
    this.machine.kill(process);
  }

  #export(process: Process, urn: string, id: string): Promise<SavedInState> {
    const { canExport } = this;
    return this.machine.step(process, "asks stack export", () => {
      const { saved, old = [], isPending } = this.backend[urn.split("::").at(-1) ?? ""] ?? {};
      if (!canExport) {
        return "unsaved";
      }
      const isSaved = [saved, ...old].some((one) => one?.id === id);
      return isSaved ? "saved" : isPending || this.habits.savesAtTheEnd ? "unsaved" : "gone";
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
