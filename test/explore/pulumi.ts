import { resources } from "../../provider/definitions/index";
import { create, remove, update } from "../../provider/engine/apply";
import type { Applied } from "../../provider/engine/operation";
import { plan } from "../../provider/engine/plan";
import { Session } from "../../provider/engine/session";
import { type SettingsSource, settingsSource } from "../../provider/engine/settingsSource";
import type { World } from "../../provider/engine/world";
import type { PlatformClient } from "../../provider/platform/client";
import type { RawValues } from "../../provider/resources/lifecycle";
import { asDocsPlatformError } from "../../provider/support/errors";
import type { Settings } from "../../provider/support/settings";
import type { Machine, Process } from "./machine";
import type { ModelPlatform } from "./platform";
import type { Option } from "./schedule";

const definition = resources.StaticExport as NonNullable<typeof resources.StaticExport>;

export interface Saved {
  id: string;
  state: RawValues;
  /** The create or the last update has failed after the resource had come to exist. */
  isFailed: boolean;
}

const urn = "urn:pulumi:dev::p::t::n";

/** What the backend keeps of one resource. */
export interface Backend {
  saved: Saved | undefined;
  /** What a replacement has left to be deleted. */
  toDelete: Saved | undefined;
}

/** How a generation of the engine behaves. */
export interface EngineHabits {
  /** A failed create is tried again by an update in the same step, before it is saved (hooks of newer engines). */
  retriesByUpdate?: boolean;
  /** Saves when the run ends, after the providers have ended. */
  savesAtTheEnd?: boolean;
  /** `stack export` is there. */
  canExport?: boolean;
  /** A checkpoint may be refused, at the cost of one fault. */
  checkpointMayFail?: boolean;
}

export interface Command {
  kind: "up" | "destroy" | "refresh";
  replace?: boolean;
  /** Inputs beside the domain. */
  inputs?: RawValues;
  notStarted?: readonly string[];
}

export interface RunResult {
  /** `ended` where the run was killed, or cancelled twice. */
  outcome: "green" | "red" | "ended";
  /** What a person was shown. */
  texts: string[];
}

/** How a run may end at each step of its provider. */
export type End = "kill" | "engine dies" | "Ctrl-C" | "Ctrl-C twice";

export const everyEnd: readonly End[] = ["kill", "engine dies", "Ctrl-C", "Ctrl-C twice"];

class ModelSession extends Session {
  readonly texts: string[] = [];

  constructor(
    private readonly process: Process,
    private readonly platform: ModelPlatform,
    private readonly saves: (id: string) => Promise<boolean | undefined>,
    world: World,
  ) {
    super(world);
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
    return this.platform.clientOf(this.process, settings);
  }
  hasSaved(_: string, id: string): Promise<boolean | undefined> {
    return this.saves(id);
  }
  protected watchEnd(): void {}
}

/** A model of the Pulumi engine with one resource, on the provider's code as it is. */
export class PulumiEngine {
  /** Processes whose engine is gone, with what ends each. */
  readonly orphans: Process[] = [];
  #runs = 0;

  constructor(
    private readonly machine: Machine,
    private readonly platform: ModelPlatform,
    private readonly worldOf: (process: Process) => World,
    private readonly habits: EngineHabits = {},
    readonly backend: Backend = { saved: undefined, toDelete: undefined },
    private readonly name = "run",
  ) {}

  get canExport(): boolean {
    return this.habits.canExport ?? true;
  }

  async run(command: Command, ends: readonly End[]): Promise<RunResult> {
    const { machine } = this;
    const { schedule } = machine;
    const process = machine.spawn(`${this.name} ${++this.#runs}`);
    const session = new ModelSession(process, this.platform, (id) => this.#export(process, id), this.worldOf(process));
    schedule.tell(`--- ${process.name}: ${command.kind}${command.replace ? " --replace" : ""}`);
    let isCancelled = false;
    const happen = (label: string): boolean => {
      switch (label as End) {
        case "kill":
          process.hasEngine = false;
          machine.kill(process);
          return true;
        case "engine dies":
          process.hasEngine = false;
          isDead();
          return true;
        case "Ctrl-C":
          isCancelled = true;
          session.cancel();
          return false;
        default:
          isCancelled = true;
          session.cancel();
          session.cancel();
          isDead();
          return true;
      }
    };
    const { promise: died, resolve: die } = Promise.withResolvers<"dead">();
    const isDead = () => die("dead");
    const options: Option[] = ends.map((label) => ({ label, costs: "end" }));
    const steps = this.#steps(command, process, session, () => isCancelled);
    const result = await machine.run(process, { options, happen }, Promise.race([steps, died]));
    if (result === "dead" && process.hasEngine) {
      // After a second Ctrl-C the engine goes, and ends its providers by a signal.
      await this.#end(process, session);
      process.hasEngine = false;
      machine.kill(process);
      return { outcome: "ended", texts: session.texts };
    }
    if (result === "dead") {
      this.orphans.push(process);
      void this.#watchEngine(process, session);
      return { outcome: "ended", texts: session.texts };
    }
    if (result === "ended") {
      return { outcome: "ended", texts: session.texts };
    }
    return { outcome: result ? "green" : "red", texts: session.texts };
  }

  /** Runs one command beside another engine's, on the same backend. Whoever lets the machine work has both done. */
  async runBeside(command: Command): Promise<RunResult> {
    const process = this.machine.spawn(`${this.name} ${++this.#runs}`);
    const session = new ModelSession(process, this.platform, (id) => this.#export(process, id), this.worldOf(process));
    const isGreen = await this.#steps(command, process, session, () => false);
    return { outcome: isGreen ? "green" : "red", texts: session.texts };
  }

  /** As the provider does where its engine is gone: it ends when all that it has sent is answered. */
  async #watchEngine(process: Process, session: Session): Promise<void> {
    const clock = this.machine.clockOf(process);
    await clock.sleep(2_000);
    await session.allAnswered();
    this.machine.schedule.tell(`${process.name}: ends, since its engine is gone`);
    this.machine.kill(process);
  }

  async #end(process: Process, session: Session): Promise<void> {
    await this.machine.run(process, undefined, session.end());
  }

  #export(process: Process, id: string): Promise<boolean | undefined> {
    const { canExport } = this;
    return this.machine.step(process, "asks stack export", () =>
      canExport ? [this.backend.saved, this.backend.toDelete].some((one) => one?.id === id) : undefined,
    );
  }

  /** @returns true where the run is green. */
  async #steps(
    command: Command,
    process: Process,
    session: ModelSession,
    isCancelled: () => boolean,
  ): Promise<boolean> {
    const { machine, backend, habits } = this;
    const signal = session.signal;
    const settings = source(command);
    const operation = { address: urn, settings, signal };
    const inputs = { domain: "a.test", waitTimeout: "30m", ...command.inputs };
    const atTheEnd: (() => void)[] = [];
    let isGreen = true;
    /** What a provider answers to an engine that is gone is heard by nobody. */
    const heard = () => (process.hasEngine ? undefined : new Promise<never>(() => {}));
    /** Has the backend take something over. */
    const save = async (change: () => void) => {
      const faults = habits.checkpointMayFail ? ["refused"] : [];
      await machine.step(process, "the engine has the result", () => {});
      await heard();
      if (habits.savesAtTheEnd) {
        atTheEnd.push(change);
        return;
      }
      await machine.step(
        process,
        "checkpoint",
        (fault) => {
          if (process.hasEngine && fault === undefined) {
            change();
          } else {
            isGreen = false;
          }
        },
        faults,
      );
      await heard();
    };
    const attempt = async (work: () => Promise<Applied>): Promise<Applied | undefined> => {
      try {
        const applied = await work();
        await heard();
        if (applied.problem !== undefined) {
          session.texts.push(applied.problem.message);
          isGreen = false;
        }
        return applied;
      } catch (error) {
        await heard();
        session.texts.push(asDocsPlatformError(error).message);
        isGreen = false;
        return undefined;
      }
    };
    const created = async (): Promise<Saved | undefined> => {
      let applied = await attempt(() => create(definition, { ...operation, inputs }, session));
      if (applied?.problem !== undefined && habits.retriesByUpdate && !isCancelled()) {
        const { id, state } = applied;
        isGreen = true;
        applied = await attempt(() => update(definition, { ...operation, id, state, inputs }, session));
        applied ??= { id, state };
      }
      return applied && { id: applied.id, state: applied.state, isFailed: applied.problem !== undefined };
    };
    const deleted = async (one: Saved, change: () => void) => {
      try {
        await remove(definition, { ...operation, id: one.id, state: one.state }, session);
        await save(change);
      } catch (error) {
        await heard();
        session.texts.push(asDocsPlatformError(error).message);
        isGreen = false;
      }
    };
    const replaced = async () => {
      const old = backend.saved;
      const fresh = await created();
      if (fresh === undefined) {
        return;
      }
      await save(() => {
        backend.toDelete = old;
        backend.saved = fresh;
      });
      if (isGreen && !isCancelled() && old !== undefined) {
        await deleted(old, () => {
          backend.toDelete = undefined;
        });
      }
    };

    const { toDelete, saved } = backend;
    if (toDelete !== undefined) {
      await deleted(toDelete, () => {
        backend.toDelete = undefined;
      });
    }
    if (command.kind === "destroy") {
      if (saved !== undefined && isGreen) {
        await deleted(saved, () => {
          backend.saved = undefined;
        });
      }
    } else if (isGreen && saved === undefined) {
      const fresh = await created();
      if (fresh !== undefined) {
        await save(() => {
          backend.saved = fresh;
        });
      }
    } else if (isGreen && saved !== undefined && command.replace) {
      await replaced();
    } else if (isGreen && saved !== undefined) {
      const planned = plan(definition, { ...operation, id: saved.id, state: saved.state, inputs }, session);
      if (planned.action === "replace") {
        await replaced();
      } else if (planned.action === "update" || saved.isFailed) {
        const applied = await attempt(() =>
          update(definition, { ...operation, id: saved.id, state: saved.state, inputs }, session),
        );
        if (applied !== undefined) {
          await save(() => {
            backend.saved = { id: applied.id, state: applied.state, isFailed: applied.problem !== undefined };
          });
        }
      }
    }
    // The engine cancels its providers at the end of every run, and ends them by a signal.
    session.cancel();
    await session.end();
    machine.kill(process);
    for (const change of atTheEnd) {
      change();
    }
    return isGreen && !isCancelled();
  }
}

function source({ notStarted = [] }: Command): SettingsSource {
  return settingsSource(() => undefined, {
    DOCS_PLATFORM_API_KEY: "svc_explorer-key-0123456789",
    DOCS_PLATFORM_BASE_URL: "https://api.test",
    DOCS_PLATFORM_MAX_RETRIES: "1",
    DOCS_PLATFORM_JOURNAL: "/the/journal",
    DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
    DOCS_PLATFORM_NOT_STARTED: notStarted.join(),
  });
}
