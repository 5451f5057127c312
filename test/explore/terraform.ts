import type { RuntimeDependencies } from "../../provider/engine/runtime";
import { createTerraformService, type TerraformService } from "../../provider/hosts/terraform/service";
import { TerraformSession, type WorkingFolderAndEnvironment } from "../../provider/hosts/terraform/terraformSession";
import { toTerraformValue } from "../../provider/hosts/terraform/values";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import type { Configuration } from "../support/terraform/change";
import { Core, emptyDiagnostics, type PlanFile, type RunMessages, type Terraform } from "../support/terraform/core";
import type { Machine, Process, RunStop } from "./machine";
import { type ModelPlatform, modelEnvironment } from "./platform";
import type { Schedule } from "./schedule";
import { noteStep } from "./startSteps";

/** A user's command for resources that have the same kind and arguments. An unset field has its default. */
export interface TerraformCommand {
  kind: "apply" | "destroy" | "plan" | "apply the plan" | "taint" | "untaint";
  /** The number of equal resources. Default: 1. */
  equal?: number;
  /** Default: exports. */
  areMessages?: true;
  triggers?: string;
  createFirst?: true;
  /** The addresses to taint, to untaint or to replace. */
  of?: readonly string[];
  refresh?: false | "only";
  target?: readonly string[];
  /** The job that each address adopts by its argument `job_id`. */
  adopts?: Readonly<Record<string, string>>;
  imports?: Readonly<Record<string, string>>;
  /** The name of the state. A command with `-state`, or in another folder, uses another state. */
  state?: string;
  /** The configuration's `journal_scope`. Default: none. */
  scope?: string;
  /** The folder of the configuration. Default: one folder for all commands. */
  folder?: string;
}

export interface TerraformRun {
  /** `ended`: the run was killed, or cancelled by a second Ctrl-C. */
  outcome: "green" | "red" | "ended";
  messages: RunMessages;
  /** The jobs that a create has continued from the journal. */
  resumed: readonly string[];
  /** The continued jobs on which another run was still working. */
  early?: readonly string[];
  plan?: PlanFile;
}

export interface TerraformHabits {
  /** Terraform writes the state to a remote backend after the providers have ended, and seldom before. */
  isRemote?: boolean;
  /** The backend may refuse the state. Each refusal reduces the schedule's budget of faults. */
  refuses?: boolean;
}

export const saveRefusal = "Failed to save state";

/** The shortest time in milliseconds between two writes of the state to a remote backend. */
const persistInterval = 20_000;

export const exportType = "docsplatform_static_export";
const messageType = "docsplatform_agent_message";

export function addressOf(number: number, of = exportType): string {
  return `${of}.e${number}`;
}

class ModelTerraformSession extends TerraformSession {
  readonly continued: string[] = [];
  readonly early: string[] = [];

  constructor(
    private readonly process: Process,
    private readonly schedule: Schedule,
    private readonly platform: ModelPlatform,
    runtime: RuntimeDependencies,
    workplace: WorkingFolderAndEnvironment,
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

/** A model of Terraform with one or more states. It calls the real code of the provider's host. */
export class TerraformEngine {
  /** The provider processes that have lost their Terraform. */
  readonly orphans: Process[] = [];
  readonly #cores = new Map<string, Core>();
  readonly plans = new Map<string, PlanFile>();
  runs = 0;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => RuntimeDependencies,
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

  /** True if every provider process that has lost its Terraform has ended. */
  get isIdle(): boolean {
    return this.orphans.every(({ isAlive }) => !isAlive);
  }

  /** @param planned is called with the plan, before the apply begins. */
  async run(
    command: TerraformCommand,
    stops: readonly RunStop[],
    planned: (plan: PlanFile) => void = () => {},
  ): Promise<TerraformRun> {
    const messages = emptyDiagnostics();
    const resumed: string[] = [];
    const core = this.core(command.state);
    this.machine.schedule.log(`--- run ${++this.runs}: ${described(command)}`);
    if (command.kind === "taint" || command.kind === "untaint") {
      for (const address of command.of ?? []) {
        core.taint(address, command.kind === "taint");
      }
      return { outcome: "green", messages, resumed };
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
      const made = await this.#during("plan", command, stops, resumed, (terraform) =>
        core.plan(configuration, terraform, messages, flags),
      );
      if (made === "ended") {
        return { outcome: "ended", messages, resumed };
      }
      if (made === "cancelled") {
        return { outcome: "red", messages, resumed };
      }
      plan = made;
      if (command.kind === "plan") {
        this.plans.set(command.state ?? "one", plan);
        return { outcome: plan.isRefused ? "red" : "green", messages, resumed, plan };
      }
    }
    const chosen = plan;
    if (!core.isStale(chosen)) {
      planned(chosen);
    }
    const applied = await this.#during(
      "apply",
      command,
      stops,
      resumed,
      (terraform) => core.apply(chosen, terraform, messages),
      messages,
    );
    const isSaved = messages.errors.every(({ text }) => text !== saveRefusal);
    const outcome = applied === "ended" ? "ended" : applied === true && isSaved ? "green" : "red";
    return { outcome, messages, resumed, plan };
  }

  /**
   * Runs a command while another command uses another state. The caller runs the machine's steps until both commands
   * have ended.
   */
  async runBeside(command: TerraformCommand, planned: (plan: PlanFile) => void): Promise<TerraformRun> {
    const messages = emptyDiagnostics();
    const core = this.core(command.state);
    const process = this.machine.spawn(`run ${++this.runs}`);
    const { terraform, session } = this.#terraform(process, command);
    const plan = await core.plan(configurationOf(command), terraform, messages);
    planned(plan);
    const isGreen = await core.apply(plan, terraform, messages);
    this.machine.kill(process);
    return {
      outcome: isGreen ? "green" : "red",
      messages,
      resumed: session.continued,
      early: session.early,
      plan,
    };
  }

  /**
   * Runs a plan or an apply in a new provider process.
   * @returns "ended" if the run was killed, or cancelled by a second Ctrl-C, and "cancelled" if one Ctrl-C stopped a
   * plan. Otherwise, the result of `work`.
   */
  async #during<T>(
    walk: "plan" | "apply",
    command: TerraformCommand,
    stops: readonly RunStop[],
    resumed: string[],
    work: (terraform: Terraform) => Promise<T>,
    messages = emptyDiagnostics(),
  ): Promise<T | "ended" | "cancelled"> {
    const machine = this.machine;
    const process = machine.spawn(`${walk} ${this.runs}`);
    const { terraform, session, unsaved, cancel } = this.#terraform(process, command);
    /** True if the provider process has died before its Terraform. Terraform then saves what it knows, and ends. */
    let isAlone = false;
    const loseProvider = () => {
      isAlone = true;
    };
    const worked = work(terraform).then((value) => (walk === "plan" && terraform.isCancelled() ? "cancelled" : value));
    const result = await machine.run(process, { options: stops, cancel, loseProvider }, worked);
    resumed.push(...session.continued);
    if (result === "abandoned" && process.hasEngine) {
      // After a second Ctrl-C, Terraform shuts its providers down and exits.
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
    return (await this.#saveAll(unsaved, stops, messages)) ?? result;
  }

  /** Writes the state to a remote backend. Returns "ended" if Terraform was killed before the write. */
  async #saveAll(
    changes: readonly (() => void)[],
    stops: readonly RunStop[],
    messages: RunMessages,
  ): Promise<"ended" | undefined> {
    const machine = this.machine;
    const core = machine.spawn(`terraform ${this.runs}`);
    const options = stops.filter((how) => how === "kill");
    const save = (fault: string | undefined) => {
      if (fault !== undefined) {
        messages.errors.push({ address: "", text: saveRefusal });
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
    /** If Terraform has ended, nobody receives the answer, so the promise never settles. */
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

  /** Ends a process that has lost its Terraform, as the real provider does. */
  async #abandon(process: Process, session: TerraformSession): Promise<void> {
    await this.machine.clockOf(process).sleep(500);
    session.cancel();
    await session.allAnswered();
    this.machine.schedule.log(`${process.name}: ends, since its Terraform is gone`);
    this.machine.kill(process);
  }
}

function configurationOf(command: TerraformCommand): Configuration {
  const { equal = 1, areMessages, triggers, createFirst = false, adopts = {}, kind } = command;
  const type = areMessages ? messageType : exportType;
  const usual = areMessages ? { job_id: "agent-1", prompt: "Go on." } : { domain: "a.test" };
  const declared = Array.from({ length: kind === "destroy" ? 0 : equal }, (_, index) => {
    const address = addressOf(index + 1, type);
    const jobId = adopts[address];
    const config = {
      ...usual,
      ...(triggers !== undefined && { triggers: toTerraformValue("dynamic", triggers) }),
      ...(jobId !== undefined && { job_id: jobId }),
    };
    return [address, { type, config, createFirst }] as const;
  });
  return Object.fromEntries(declared);
}

function described({ kind, ...more }: TerraformCommand): string {
  return `${kind}${Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : ""}`;
}
