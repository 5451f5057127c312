import type { World } from "../../provider/engine/world";
import { createTerraformService, type TerraformService } from "../../provider/hosts/terraform/service";
import { TerraformSession, type Workplace } from "../../provider/hosts/terraform/terraformSession";
import type { PlatformClient } from "../../provider/platform/client";
import type { Settings } from "../../provider/settings/settings";
import {
  type Blocks,
  type Configuration,
  type ConfiguredResource,
  Core,
  nothingTold,
  type PlanFile,
  type State,
  type Terraform,
  type Told,
  type Triggered,
} from "../support/terraform/core";
import { shown, textValue } from "../support/terraform/cty";
import type { Machine, Process } from "./machine";
import type { ModelPlatform } from "./platform";
import { type End, optionsOf } from "./pulumi";

/** One command of a person. Every field is optional. */
export interface TerraformCommand {
  kind: "apply" | "destroy" | "plan" | "apply the plan" | "taint" | "untaint" | "invoke" | "rest";
  /** The state that the command uses: another one by `-state`, or in another folder. */
  state?: string;
  /** The addresses of a taint, of an untaint, or of `-replace`. */
  of?: readonly string[];
  refresh?: false | "only";
  target?: readonly string[];
  createFirst?: true;
  /** The number of equal exports. */
  equal?: number;
  /** The declared resources, if they differ from equal exports. */
  declared?: Configuration;
  blocks?: Blocks;
  /** The action that is invoked. */
  action?: Triggered;
  /** The job that an address adopts. */
  adopts?: Readonly<Record<string, string>>;
  notStarted?: readonly string[];
  /** The `journal_scope` of the configuration, if it has one. */
  scope?: string;
  /** The command runs in another checkout. */
  folder?: string;
  /** The command runs on another machine, which has a journal of its own; `none` is one that does not work. */
  journal?: string;
  /** The new triggers of each address that a person lets start anew. */
  again?: Readonly<Record<string, string>>;
}

export interface TerraformRun {
  /** The value `ended` if the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  told: Told;
  /** The plan, if the run came so far. */
  plan?: PlanFile;
}

/** The habits of the backend. */
export interface TerraformHabits {
  /** True for a remote backend, which saves when the run ends, after the providers have ended. */
  savesAtTheEnd?: boolean;
}

const type = "docsplatform_static_export";

export function addressOf(number: number, of = type): string {
  return `${of}.e${number}`;
}

/** The time that passes while a person rests; milliseconds. Every link is due then, and none has ended. */
const longRest = 55 * 60_000;

class ModelTerraformSession extends TerraformSession {
  readonly #process: Process;
  readonly #platform: ModelPlatform;

  constructor(process: Process, platform: ModelPlatform, world: World, workplace: Workplace) {
    super(world, workplace);
    this.#process = process;
    this.#platform = platform;
  }

  override async connect(settings: Settings): Promise<PlatformClient> {
    return this.#platform.clientOf(this.#process, settings);
  }
  protected override log(): void {}
}

/** Terraform with equal exports and one or more states, around the host's real code. */
export class TerraformEngine {
  readonly lasting = ["states", "runs"];
  /** The processes whose Terraform is gone. */
  readonly orphans: Process[] = [];
  readonly #cores = new Map<string, Core>();
  /** The saved plans, by their states. */
  readonly plans = new Map<string, PlanFile>();
  runs = 0;

  readonly #machine: Machine;
  readonly #platform: ModelPlatform;
  readonly #worldOf: (process: Process) => World;
  readonly #habits: TerraformHabits;

  constructor(
    machine: Machine,
    platform: ModelPlatform,
    worldOf: (process: Process) => World,
    habits: TerraformHabits = {},
  ) {
    this.#machine = machine;
    this.#platform = platform;
    this.#worldOf = worldOf;
    this.#habits = habits;
  }

  core(state = "one"): Core {
    const known = this.#cores.get(state) ?? new Core();
    this.#cores.set(state, known);
    return known;
  }

  get cores(): ReadonlyMap<string, Core> {
    return this.#cores;
  }

  /** The states in the backends. */
  get states(): readonly (readonly [name: string, state: State])[] {
    return [...this.#cores].map(([name, { state }]) => [name, state] as const);
  }
  set states(states) {
    for (const [name, state] of states) {
      this.core(name).state = state;
    }
  }

  /** @param planned is called before anything is applied. */
  async run(
    command: TerraformCommand,
    ends: readonly End[],
    planned: (plan: PlanFile) => void = () => {},
  ): Promise<TerraformRun> {
    const told = nothingTold();
    const core = this.core(command.state);
    this.#machine.schedule.tell(`--- run ${++this.runs}: ${described(command)}`);
    if (command.kind === "taint" || command.kind === "untaint") {
      for (const address of command.of ?? []) {
        core.taint(address, command.kind === "taint");
      }
      return { outcome: "green", told };
    }
    if (command.kind === "rest") {
      this.#machine.time += longRest;
      return { outcome: "green", told };
    }
    const { action } = command;
    if (action !== undefined) {
      const went = await this.#during("apply", command, ends, told, (terraform) =>
        core.invoke(action, terraform, told),
      );
      return { outcome: went === "ended" ? "ended" : went === true ? "green" : "red", told };
    }
    let plan = this.plans.get(command.state ?? "one");
    if (command.kind !== "apply the plan" || plan === undefined) {
      const configuration = configurationOf(command);
      const flags = {
        destroys: command.kind === "destroy",
        ...(command.of && { replace: command.of }),
        ...(command.refresh !== undefined && { refresh: command.refresh }),
        ...(command.target && { target: command.target }),
      };
      const provider = command.scope === undefined ? {} : { journal_scope: textValue(command.scope) };
      const blocks = { ...command.blocks, provider };
      const made = await this.#during("plan", command, ends, told, (terraform) =>
        core.plan(configuration, terraform, told, flags, blocks),
      );
      if (made === "ended") {
        return { outcome: "ended", told };
      }
      if (made === "cancelled") {
        return { outcome: "red", told };
      }
      plan = made;
      if (command.kind === "plan") {
        this.plans.set(command.state ?? "one", plan);
        return { outcome: plan.isRefused ? "red" : "green", told, plan };
      }
    }
    const chosen = plan;
    if (!core.isStale(chosen)) {
      planned(chosen);
    }
    const applied = await this.#during("apply", command, ends, told, (terraform) =>
      core.apply(chosen, terraform, told),
    );
    return { outcome: applied === "ended" ? "ended" : applied === true ? "green" : "red", told, plan };
  }

  /**
   * Runs two commands at the same time, each with a state of its own. The caller lets the machine work until both are
   * done.
   */
  async runBeside(command: TerraformCommand, planned: (plan: PlanFile) => void): Promise<TerraformRun> {
    const told = nothingTold();
    const core = this.core(command.state);
    const process = this.#machine.spawn(`run ${++this.runs}`);
    const terraform = this.#terraform(process, command).terraform;
    const plan = await core.plan(configurationOf(command), terraform, told);
    planned(plan);
    const isGreen = await core.apply(plan, terraform, told);
    this.#machine.kill(process);
    return { outcome: isGreen ? "green" : "red", told, plan };
  }

  /**
   * Runs one walk in a process of its own.
   * @returns "ended" if it was killed, or cancelled twice.
   */
  async #during<T>(
    walk: "plan" | "apply",
    command: TerraformCommand,
    ends: readonly End[],
    told: Told,
    work: (terraform: Terraform) => Promise<T>,
  ): Promise<T | "ended" | "cancelled"> {
    const machine = this.#machine;
    const process = machine.spawn(`${walk} ${this.runs}`);
    const { terraform, session, atTheEnd, cancel } = this.#terraform(process, command);
    let die = () => {};
    const died = new Promise<"dead">((resolve) => {
      die = () => resolve("dead");
    });
    /** Terraform without its provider hears errors, saves what it knows, and ends. */
    let isAlone = false;
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
        case "provider dies":
          isAlone = true;
          machine.kill(process);
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
    const changes = () => [machine.changes, told.errors.length, told.warnings.length, told.faults.length].join();
    const worked = work(terraform).then((value) => (walk === "plan" && terraform.isCancelled() ? "cancelled" : value));
    const result = await machine.run(process, { ...optionsOf(ends), changes, happen }, Promise.race([worked, died]));
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
    machine.kill(process);
    for (const save of result !== "ended" || isAlone ? atTheEnd : []) {
      save();
    }
    return result;
  }

  #terraform(process: Process, command: TerraformCommand) {
    const habits = this.#habits;
    const machine = this.#machine;
    const workplace = { environment: environmentOf(command), folder: command.folder ?? "/" };
    const newSession = () => new ModelTerraformSession(process, this.#platform, this.#worldOf(process), workplace);
    const session = newSession();
    let isCancelled = false;
    const atTheEnd: (() => void)[] = [];
    /** Nobody hears what a provider answers to a Terraform that is gone. */
    const heard = () => (process.hasEngine ? undefined : new Promise<never>(() => {}));
    const terraform: Terraform = {
      open: (walk) => {
        // Two walks at the same time have a process each, and one of them sends nothing.
        const service = createTerraformService(walk === "validate" ? newSession() : session);
        const call: TerraformService["call"] = async (...asked) => {
          const answer = await service.call(...asked);
          await heard();
          return answer;
        };
        const invoke: TerraformService["invoke"] = async function* (asked) {
          for await (const event of service.invoke(asked)) {
            await heard();
            yield event;
          }
        };
        return { service: { ...service, call, invoke }, end: () => service.end().then(heard) };
      },
      save: async (change) => {
        await heard();
        if (habits.savesAtTheEnd) {
          atTheEnd.push(change);
        } else {
          await machine.step(process, "saves the state", () => {
            machine.changes++;
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
    return { terraform, session, atTheEnd, cancel };
  }

  /** Ends as the provider does without its Terraform. */
  async #abandon(process: Process, session: TerraformSession): Promise<void> {
    await this.#machine.clockOf(process).sleep(500);
    session.cancel();
    await session.allAnswered();
    this.#machine.schedule.tell(`${process.name}: ends, since its Terraform is gone`);
    this.#machine.kill(process);
  }
}

/** Returns the resources that a command's configuration declares. */
function configurationOf(command: TerraformCommand): Configuration {
  const { equal = 1, createFirst, adopts = {}, again = {}, declared, kind } = command;
  const names = Array.from({ length: equal }, (_, index) => addressOf(index + 1));
  const usual = { type, config: { domain: textValue("a.test") }, createFirst: createFirst ?? false };
  const all: Configuration = declared ?? Object.fromEntries(names.map((address) => [address, usual]));
  const adopting = Object.entries(all).map(([address, each]): [string, ConfiguredResource] => {
    const [jobId, triggers] = [adopts[address], again[address]];
    const more = {
      ...(jobId !== undefined && { job_id: textValue(jobId) }),
      ...(triggers && { triggers: textValue(triggers) }),
    };
    return [address, { ...each, config: { ...each.config, ...more } }];
  });
  return kind === "destroy" && declared === undefined ? {} : Object.fromEntries(adopting);
}

/** The place of the journal of a machine. */
export function journalAt(journal = "usual"): string {
  return `/${journal}/journal`;
}

function environmentOf({ notStarted = [], journal }: TerraformCommand): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_API_KEY: "svc_explorer-key-0123456789",
    DOCS_PLATFORM_BASE_URL: "https://api.test",
    DOCS_PLATFORM_MAX_RETRIES: "1",
    DOCS_PLATFORM_PROJECT_ID: "docs",
    DOCS_PLATFORM_JOURNAL: journalAt(journal),
    DOCS_PLATFORM_JOURNAL_REQUIRED: String(journal !== "none"),
    DOCS_PLATFORM_NOT_STARTED: notStarted.join(),
    TF_WORKSPACE: "default",
  };
}

function described({ kind, declared, ...more }: TerraformCommand): string {
  const rest = { ...more, ...(declared && { declared: Object.entries(declared).map(describedOne) }) };
  return `${kind}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ""}`;
}

function describedOne([address, { config, early = {}, ...rest }]: [string, ConfiguredResource]): unknown {
  const values = Object.entries(config).map(([name, value]) => `${name} = ${shown(early[name] ?? value)}`);
  return [address, values.join(", "), rest];
}
