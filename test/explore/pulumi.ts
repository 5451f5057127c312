import type { RuntimeDependencies } from "../../provider/engine/runtime";
import { type JobPresenceInState, type LogMessageKind, Session } from "../../provider/engine/session";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import type { DocsPlatformError } from "../../provider/support/errors";
import type { Machine, Process, RunStop } from "./machine";
import type { ModelPlatform } from "./platform";
import type { Command, DeclaredResource } from "./program";
import { type Backend, EngineRun } from "./pulumiRun";
import type { Schedule } from "./schedule";
import { noteStep } from "./startSteps";

/** The behaviour that differs between versions and settings of the engine. */
export interface EngineHabits {
  /**
   * With hooks, newer engines call an update after a create that returns a state with an error. They save the state only
   * after the update.
   */
  retriesByUpdate?: boolean;
  /** Error hooks: the engine repeats a failed create, at most three times. */
  retriesByCreate?: boolean;
  needsNoJournal?: boolean;
  /** The engine saves the state only when the run ends, after its providers have ended. */
  savesAtTheEnd?: boolean;
  /** The option `replaceOnChanges: ["*"]`: every update becomes a replacement. */
  replacesOnChanges?: boolean;
  /** The provider can read the saved state with `stack export`. */
  canExport?: boolean;
}

export interface ModelRunResult {
  /** `ended`: the run was killed, or cancelled by a second Ctrl-C. */
  outcome: "green" | "red" | "ended";
  texts: string[];
  /** The errors of failed resources, by resource name. */
  problems: ReadonlyMap<string, DocsPlatformError>;
  /** The jobs that a create has continued from the journal. */
  resumed: readonly string[];
}

export class ModelSession extends Session {
  readonly texts: string[] = [];
  readonly problems = new Map<string, DocsPlatformError>();

  readonly continued: string[] = [];

  constructor(
    readonly process: Process,
    private readonly schedule: Schedule,
    private readonly platform: ModelPlatform,
    private readonly asks: (urn: string, id: string) => Promise<JobPresenceInState>,
    runtime: RuntimeDependencies,
  ) {
    super(runtime);
  }

  protected show(how: LogMessageKind, _: string | undefined, line: string): void {
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
  savedInState(urn: string, id: string): Promise<JobPresenceInState> {
    return this.asks(urn, id);
  }
  protected watchEnd(): void {}
}

/** A model of the Pulumi engine. It calls the provider's real code. */
export class PulumiEngine {
  readonly backend: Backend = {};
  /** The provider processes that have lost their engine. */
  readonly orphans: Process[] = [];
  runs = 0;
  isOneMachine = true;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => RuntimeDependencies,
    readonly program: readonly DeclaredResource[],
    private readonly habits: EngineHabits = {},
  ) {}

  get canExport(): boolean {
    return this.habits.canExport ?? true;
  }

  get isIdle(): boolean {
    return this.orphans.every(({ isAlive }) => !isAlive);
  }

  async run(command: Command, stops: readonly RunStop[]): Promise<ModelRunResult> {
    const machine = this.machine;
    const { process, session, run } = this.#begin(command);
    const { texts, problems } = session;
    const resumed = session.continued;
    const ended: ModelRunResult = { outcome: "ended", texts, problems, resumed };
    const loseProvider = () => run.loseProvider();
    const result = await machine.run(
      process,
      { options: stops, cancel: () => run.cancel(), loseProvider },
      run.steps(),
    );
    if (result === "abandoned" && process.hasEngine) {
      // After a second Ctrl-C, the engine sends its providers a signal and ends.
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
    machine.schedule.log(`--- ${process.name}: ${describe(command)}`);
    return { process, session, run: new EngineRun(machine, session, program, backend, habits, command) };
  }

  /** An orphan ends only after it has received the answers to its requests, as the real provider does. */
  async #watchEngine(process: Process, session: Session): Promise<void> {
    const clock = this.machine.clockOf(process);
    await clock.sleep(2_000);
    await session.allAnswered();
    this.machine.schedule.log(`${process.name}: ends, since its engine is gone`);
    this.machine.kill(process);
  }

  #export(process: Process, urn: string, id: string): Promise<JobPresenceInState> {
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
