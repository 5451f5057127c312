import type { Runtime } from "../../provider/engine/runtime";
import { createTerraformService, type TerraformService } from "../../provider/hosts/terraform/service";
import { TerraformSession, type Workplace } from "../../provider/hosts/terraform/terraformSession";
import { typed } from "../../provider/hosts/terraform/values";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import type { Configuration } from "../support/terraform/change";
import { Core, emptyDiagnostics, type PlanFile, type Terraform, type Told } from "../support/terraform/core";
import type { End, Machine, Process } from "./machine";
import { type ModelPlatform, modelEnvironment } from "./platform";
import type { Schedule } from "./schedule";
import { noteStep } from "./startSteps";

/** One command of a person about one or more equal resources. Default: one. Every other field is optional. */
export interface TerraformCommand {
  kind: "apply" | "destroy" | "plan" | "apply the plan" | "taint" | "untaint";
  /** The number of resources. */
  equal?: number;
  /** True if they are messages. Default: exports. */
  areMessages?: true;
  triggers?: string;
  createFirst?: true;
  /** The addresses of a taint, of an untaint, or of `-replace`. */
  of?: readonly string[];
  refresh?: false | "only";
  target?: readonly string[];
  /** The job that an address adopts, or imports. */
  adopts?: Readonly<Record<string, string>>;
  imports?: Readonly<Record<string, string>>;
  /** The state that the command uses: another one by `-state`, or in another folder. */
  state?: string;
  /** The `journal_scope` of the configuration, if it has one. */
  scope?: string;
  /** The checkout in which the command runs, if it is another one. */
  folder?: string;
}

export interface TerraformRun {
  /** The value `ended` if the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  told: Told;
  /** The jobs that creates have continued from the journal. */
  resumed: readonly string[];
  /** Those of them that another run was still working on. */
  early?: readonly string[];
  /** The plan, if the run reached it. */
  plan?: PlanFile;
}

/** The habits of the backend. */
export interface TerraformHabits {
  /**
   * True for a remote backend. It gets the state when the run ends, after the providers have ended, and rarely before.
   */
  isRemote?: boolean;
  /** True if it may refuse the state. Each refusal costs one fault. */
  refuses?: boolean;
}

/** The error of Terraform about a state that the backend has refused. */
export const refusal = "Failed to save state";

/** The shortest time between two saves of one run at a remote backend, in milliseconds. */
const persistInterval = 20_000;

export const exportType = "docsplatform_static_export";
const messageType = "docsplatform_agent_message";

export function addressOf(number: number, of = exportType): string {
  return `${of}.e${number}`;
}

class ModelTerraformSession extends TerraformSession {
  /** The jobs that creates have continued from the journal, and those of them that another run was still working on. */
  readonly continued: string[] = [];
  readonly early: string[] = [];

  constructor(
    private readonly process: Process,
    private readonly schedule: Schedule,
    private readonly platform: ModelPlatform,
    runtime: Runtime,
    workplace: Workplace,
  ) {
    super(runtime, workplace);
  }

  override async connect(settings: Settings): Promise<PlatformClient> {
    return this.platform.clientOf(this.process, settings);
  }
  protected override log(_: string, line: string): void {
    const id = noteStep(line, this.schedule);
    if (id !== undefined) {
      this.continued.push(id);
      this.early.push(...(this.platform.isOfLivingRun(id) ? [id] : []));
    }
  }
}

/** Terraform with equal resources and one or more states, around the host's real code. */
export class TerraformEngine {
  /** The processes whose Terraform is gone. */
  readonly orphans: Process[] = [];
  readonly #cores = new Map<string, Core>();
  /** The saved plans, by their states. */
  readonly plans = new Map<string, PlanFile>();
  runs = 0;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => Runtime,
    private readonly habits: TerraformHabits = {},
  ) {}

  core(state = "one"): Core {
    const known = this.#cores.get(state) ?? new Core();
    this.#cores.set(state, known);
    return known;
  }

  get cores(): ReadonlyMap<string, Core> {
    return this.#cores;
  }

  /** False while a process still works although its Terraform has ended. */
  get isAtRest(): boolean {
    return this.orphans.every(({ isAlive }) => !isAlive);
  }

  /** @param planned is called before anything is applied. */
  async run(
    command: TerraformCommand,
    ends: readonly End[],
    planned: (plan: PlanFile) => void = () => {},
  ): Promise<TerraformRun> {
    const told = emptyDiagnostics();
    const resumed: string[] = [];
    const core = this.core(command.state);
    this.machine.schedule.tell(`--- run ${++this.runs}: ${described(command)}`);
    if (command.kind === "taint" || command.kind === "untaint") {
      for (const address of command.of ?? []) {
        core.taint(address, command.kind === "taint");
      }
      return { outcome: "green", told, resumed };
    }
    let plan = this.plans.get(command.state ?? "one");
    if (command.kind !== "apply the plan" || plan === undefined) {
      const configuration = configurationOf(command);
      const flags = {
        destroys: command.kind === "destroy",
        ...(command.of && { replace: command.of }),
        ...(command.refresh !== undefined && { refresh: command.refresh }),
        ...(command.target && { target: command.target }),
        ...(command.imports && { imports: command.imports }),
        ...(command.scope !== undefined && { provider: { journal_scope: command.scope } }),
      };
      const made = await this.#during("plan", command, ends, resumed, (terraform) =>
        core.plan(configuration, terraform, told, flags),
      );
      if (made === "ended") {
        return { outcome: "ended", told, resumed };
      }
      if (made === "cancelled") {
        return { outcome: "red", told, resumed };
      }
      plan = made;
      if (command.kind === "plan") {
        this.plans.set(command.state ?? "one", plan);
        return { outcome: plan.isRefused ? "red" : "green", told, resumed, plan };
      }
    }
    const chosen = plan;
    if (!core.isStale(chosen)) {
      planned(chosen);
    }
    const applied = await this.#during(
      "apply",
      command,
      ends,
      resumed,
      (terraform) => core.apply(chosen, terraform, told),
      told,
    );
    const isSaved = told.errors.every(({ text }) => text !== refusal);
    const outcome = applied === "ended" ? "ended" : applied === true && isSaved ? "green" : "red";
    return { outcome, told, resumed, plan };
  }

  /**
   * Runs two commands at the same time, each with a state of its own. The caller lets the machine work until both are
   * done.
   */
  async runBeside(command: TerraformCommand, planned: (plan: PlanFile) => void): Promise<TerraformRun> {
    const told = emptyDiagnostics();
    const core = this.core(command.state);
    const process = this.machine.spawn(`run ${++this.runs}`);
    const { terraform, session } = this.#terraform(process, command);
    const plan = await core.plan(configurationOf(command), terraform, told);
    planned(plan);
    const isGreen = await core.apply(plan, terraform, told);
    this.machine.kill(process);
    return {
      outcome: isGreen ? "green" : "red",
      told,
      resumed: session.continued,
      early: session.early,
      plan,
    };
  }

  /**
   * Runs one walk in a process of its own.
   * @returns "ended" if it was killed, or cancelled twice.
   */
  async #during<T>(
    walk: "plan" | "apply",
    command: TerraformCommand,
    ends: readonly End[],
    resumed: string[],
    work: (terraform: Terraform) => Promise<T>,
    told = emptyDiagnostics(),
  ): Promise<T | "ended" | "cancelled"> {
    const machine = this.machine;
    const process = machine.spawn(`${walk} ${this.runs}`);
    const { terraform, session, unsaved, cancel } = this.#terraform(process, command);
    /** Without its provider, Terraform gets errors, saves what it knows, and ends. */
    let isAlone = false;
    const loseProvider = () => {
      isAlone = true;
    };
    const worked = work(terraform).then((value) => (walk === "plan" && terraform.isCancelled() ? "cancelled" : value));
    const result = await machine.run(process, { options: ends, cancel, loseProvider }, worked);
    resumed.push(...session.continued);
    if (result === "abandoned" && process.hasEngine) {
      // After a second Ctrl-C, Terraform shuts down its providers and exits.
      process.hasEngine = false;
      await machine.run(process, undefined, session.end());
      machine.kill(process);
      return "ended";
    }
    if (result === "abandoned") {
      this.orphans.push(process);
      void this.#abandon(process, session);
      return "ended";
    }
    machine.kill(process);
    if (unsaved.length === 0 || (result === "ended" && !isAlone)) {
      return result;
    }
    return (await this.#saveAll(unsaved, ends, told)) ?? result;
  }

  /** Writes the state after the providers have ended, if Terraform still runs. @returns "ended" if it does not. */
  async #saveAll(changes: readonly (() => void)[], ends: readonly End[], told: Told): Promise<"ended" | undefined> {
    const machine = this.machine;
    const core = machine.spawn(`terraform ${this.runs}`);
    const options = ends.filter((how) => how === "kill");
    const save = (fault: string | undefined) => {
      if (fault !== undefined) {
        told.errors.push({ address: "", text: refusal });
        return;
      }
      for (const change of changes) {
        change();
      }
    };
    const step = machine.step(core, "saves the state", save, this.habits.refuses ? ["is refused"] : []);
    const nothing = () => {};
    const result = await machine.run(core, { options, cancel: nothing, loseProvider: nothing }, step);
    machine.kill(core);
    return result === undefined ? undefined : "ended";
  }

  #terraform(process: Process, command: TerraformCommand) {
    const habits = this.habits;
    const machine = this.machine;
    const workplace = { environment: { ...modelEnvironment, TF_WORKSPACE: "default" }, folder: command.folder ?? "/" };
    const session = new ModelTerraformSession(
      process,
      machine.schedule,
      this.platform,
      this.worldOf(process),
      workplace,
    );
    let isCancelled = false;
    const unsaved: (() => void)[] = [];
    let savedAt = machine.time;
    /** An answer to a Terraform process that has ended is lost. */
    const heard = () => (process.hasEngine ? undefined : new Promise<never>(() => {}));
    const terraform: Terraform = {
      open: () => {
        const service = createTerraformService(session);
        const call: TerraformService["call"] = async (...asked) => {
          const answer = await service.call(...asked);
          await heard();
          return answer;
        };
        return { service: { ...service, call }, end: () => service.end().then(heard) };
      },
      save: async (change) => {
        await heard();
        if (habits.isRemote && machine.time - savedAt < persistInterval) {
          unsaved.push(change);
        } else {
          await machine.step(process, "saves the state", () => {
            unsaved.length = 0;
            savedAt = machine.time;
            return heard() ?? change();
          });
        }
      },
      isCancelled: () => isCancelled,
    };
    const cancel = () => {
      isCancelled = true;
      session.cancel();
    };
    return { terraform, session, unsaved, cancel };
  }

  /** Ends like the provider without its Terraform. */
  async #abandon(process: Process, session: TerraformSession): Promise<void> {
    await this.machine.clockOf(process).sleep(500);
    session.cancel();
    await session.allAnswered();
    this.machine.schedule.tell(`${process.name}: ends, since its Terraform is gone`);
    this.machine.kill(process);
  }
}

/** Returns the resources that a command's configuration declares. */
function configurationOf(command: TerraformCommand): Configuration {
  const { equal = 1, areMessages, triggers, createFirst = false, adopts = {}, kind } = command;
  const type = areMessages ? messageType : exportType;
  const usual = areMessages ? { job_id: "agent-1", prompt: "Go on." } : { domain: "a.test" };
  const declared = Array.from({ length: kind === "destroy" ? 0 : equal }, (_, index) => {
    const address = addressOf(index + 1, type);
    const jobId = adopts[address];
    const config = {
      ...usual,
      ...(triggers !== undefined && { triggers: typed("dynamic", triggers) }),
      ...(jobId !== undefined && { job_id: jobId }),
    };
    return [address, { type, config, createFirst }] as const;
  });
  return Object.fromEntries(declared);
}

function described({ kind, ...more }: TerraformCommand): string {
  return `${kind}${Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : ""}`;
}
