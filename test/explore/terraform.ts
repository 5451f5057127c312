import type { World } from "../../provider/engine/world";
import { createService, type Service } from "../../provider/hosts/terraform/service";
import { TerraformSession, type Workplace } from "../../provider/hosts/terraform/terraformSession";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/support/settings";
import {
  type Configuration,
  Core,
  type Declared,
  nothingTold,
  type Plan,
  type Terraform,
  type Told,
} from "../support/terraform/core";
import { text } from "../support/terraform/cty";
import type { Machine, Process } from "./machine";
import type { ModelPlatform } from "./platform";
import type { End } from "./pulumi";
import type { Option } from "./schedule";

/** One command of a person. What is left out is as usual. */
export interface TerraformCommand {
  kind: "apply" | "destroy" | "plan" | "apply the plan" | "taint" | "untaint";
  /** Which of the states: each is one that a person gives with `-state`, or one in another folder. */
  state?: string;
  /** The addresses of a taint, an untaint, or `-replace`. */
  of?: readonly string[];
  refresh?: false;
  createFirst?: true;
  /** So many exports, which nothing tells apart. */
  equal?: number;
  /** The job that an address adopts. */
  adopts?: Readonly<Record<string, string>>;
  notStarted?: readonly string[];
  /** Of the configuration, where it has one. */
  scope?: string;
  /** Another checkout. */
  folder?: string;
}

export interface TerraformRun {
  /** `ended` where the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  told: Told;
}

/** How this backend behaves. */
export interface TerraformHabits {
  /** A remote backend: saves when the run ends, after the providers have ended. */
  savesAtTheEnd?: boolean;
}

const type = "docsplatform_static_export";

export function addressOf(number: number): string {
  return `${type}.e${number}`;
}

class ModelTerraformSession extends TerraformSession {
  constructor(
    private readonly process: Process,
    private readonly platform: ModelPlatform,
    world: World,
    workplace: Workplace,
  ) {
    super(world, workplace);
  }

  override engineAddress(): string {
    return this.process.owner.engine;
  }
  override async connect(settings: Settings): Promise<PlatformClient> {
    return this.platform.clientOf(this.process, settings);
  }
  protected override log(): void {}
}

/** Terraform with exports that nothing tells apart, on the host's code as it is, with a state or several. */
export class TerraformEngine {
  /** Processes whose Terraform is gone. */
  readonly orphans: Process[] = [];
  readonly #cores = new Map<string, Core>();
  /** Saved ones, by the state that they are for. */
  readonly plans = new Map<string, Plan>();
  #runs = 0;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => World,
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

  async run(command: TerraformCommand, ends: readonly End[]): Promise<TerraformRun> {
    const told = nothingTold();
    const core = this.core(command.state);
    this.machine.schedule.tell(`--- run ${++this.#runs}: ${described(command)}`);
    if (command.kind === "taint" || command.kind === "untaint") {
      for (const address of command.of ?? []) core.taint(address, command.kind === "taint");
      return { outcome: "green", told };
    }
    let plan = this.plans.get(command.state ?? "one");
    if (command.kind !== "apply the plan" || plan === undefined) {
      const configuration = configurationOf(command);
      const flags = {
        destroys: command.kind === "destroy",
        ...(command.of && { replace: command.of }),
        ...(command.refresh === false && { refresh: command.refresh }),
      };
      const blocks = { provider: command.scope === undefined ? {} : { journal_scope: text(command.scope) } };
      const planned = await this.#during("plan", command, ends, (terraform) =>
        core.plan(configuration, terraform, told, flags, blocks),
      );
      if (planned === "ended") return { outcome: "ended", told };
      plan = planned;
      if (command.kind === "plan") {
        this.plans.set(command.state ?? "one", plan);
        return { outcome: plan.isRefused ? "red" : "green", told };
      }
    }
    const chosen = plan;
    const applied = await this.#during("apply", command, ends, (terraform) => core.apply(chosen, terraform, told));
    return { outcome: applied === "ended" ? "ended" : applied ? "green" : "red", told };
  }

  /** Both at the same time, each with a state of its own. Whoever lets the machine work has both done. */
  async runBeside(command: TerraformCommand): Promise<TerraformRun> {
    const told = nothingTold();
    const core = this.core(command.state);
    const process = this.machine.spawn(`run ${++this.#runs}`);
    const terraform = this.#terraform(process, command).terraform;
    const plan = await core.plan(configurationOf(command), terraform, told);
    const isGreen = await core.apply(plan, terraform, told);
    this.machine.kill(process);
    return { outcome: isGreen ? "green" : "red", told };
  }

  /** One walk, in a process of its own. @returns "ended" where it was killed, or cancelled twice. */
  async #during<T>(
    walk: "plan" | "apply",
    command: TerraformCommand,
    ends: readonly End[],
    work: (terraform: Terraform) => Promise<T>,
  ): Promise<T | "ended"> {
    const { machine } = this;
    const process = machine.spawn(`${walk} ${this.#runs}`);
    const { terraform, session, atTheEnd, cancel } = this.#terraform(process, command);
    let die = () => {};
    const died = new Promise<"dead">((resolve) => {
      die = () => resolve("dead");
    });
    const happen = (label: string): boolean => {
      switch (label as End) {
        case "kill":
          process.hasEngine = false;
          machine.kill(process);
          return true;
        case "engine dies":
          process.hasEngine = false;
          die();
          return true;
        case "Ctrl-C":
          cancel();
          return false;
        default:
          cancel();
          die();
          return true;
      }
    };
    const options: Option[] = ends.map((label) => ({ label, costs: "end" }));
    const result = await machine.run(process, { options, happen }, Promise.race([work(terraform), died]));
    if (result === "dead" && process.hasEngine) {
      // After a second Ctrl-C Terraform shuts its providers down, and exits.
      process.hasEngine = false;
      await machine.run(process, undefined, session.end());
      machine.kill(process);
      return "ended";
    }
    if (result === "dead") {
      this.orphans.push(process);
      void this.#abandon(process, session);
      return "ended";
    }
    if (result === "ended") return "ended";
    machine.kill(process);
    for (const save of atTheEnd) save();
    return result as T;
  }

  #terraform(process: Process, command: TerraformCommand) {
    const { machine, habits } = this;
    const workplace = { environment: environmentOf(command), folder: command.folder ?? "/" };
    const newSession = () => new ModelTerraformSession(process, this.platform, this.worldOf(process), workplace);
    const session = newSession();
    let isCancelled = false;
    const atTheEnd: (() => void)[] = [];
    /** What a provider answers to a Terraform that is gone is heard by nobody. */
    const heard = () => (process.hasEngine ? undefined : new Promise<never>(() => {}));
    const terraform: Terraform = {
      open: (walk) => {
        // Two walks beside each other have a process each, of which one sends nothing.
        const service = createService(walk === "validate" ? newSession() : session);
        const call: Service["call"] = async (...asked) => {
          const answer = await service.call(...asked);
          await heard();
          return answer;
        };
        return { service: { ...service, call }, end: () => service.end().then(heard) };
      },
      save: async (change) => {
        await heard();
        if (habits.savesAtTheEnd) {
          atTheEnd.push(change);
        } else {
          await machine.step(process, "saves the state", () => heard() ?? change());
        }
      },
      isCancelled: () => isCancelled,
    };
    const cancel = () => {
      isCancelled = true;
      session.cancel();
    };
    return { terraform, session, atTheEnd, cancel };
  }

  /** As the provider does where its Terraform is gone. */
  async #abandon(process: Process, session: TerraformSession): Promise<void> {
    await this.machine.clockOf(process).sleep(500);
    session.cancel();
    await session.allAnswered();
    this.machine.schedule.tell(`${process.name}: ends, since its Terraform is gone`);
    this.machine.kill(process);
  }
}

function configurationOf({ equal = 1, createFirst, adopts = {}, kind }: TerraformCommand): Configuration {
  const all = Array.from({ length: kind === "destroy" ? 0 : equal }, (_, index): [string, Declared] => {
    const address = addressOf(index + 1);
    const jobId = adopts[address];
    const config = { domain: text("a.test"), ...(jobId !== undefined && { job_id: text(jobId) }) };
    return [address, { type, config, createFirst: createFirst ?? false }];
  });
  return Object.fromEntries(all);
}

function environmentOf({ notStarted = [] }: TerraformCommand): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_API_KEY: "svc_explorer-key-0123456789",
    DOCS_PLATFORM_BASE_URL: "https://api.test",
    DOCS_PLATFORM_MAX_RETRIES: "1",
    DOCS_PLATFORM_JOURNAL: "/the/journal",
    DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
    DOCS_PLATFORM_NOT_STARTED: notStarted.join(),
    TF_WORKSPACE: "default",
  };
}

function described({ kind, ...rest }: TerraformCommand): string {
  return `${kind}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ""}`;
}
