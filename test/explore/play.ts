import { type End, Machine, withoutChance } from "./machine";
import { ModelPlatform, type PlatformHabits } from "./platform";
import type { Command } from "./program";
import { runtimeOn } from "./runtime";
import { Schedule } from "./schedule";
import { goneStore, ModelStore, type StoreHabits } from "./store";
import { surround } from "./story";
import { type TerraformCommand, TerraformEngine } from "./terraform";
import { codesIn } from "./told";

/**
 * A moment that both a model and a real platform can observe: a start is about to arrive, a start is accepted but not
 * answered yet, or a job is polled. Each has the name of the model's step.
 */
export const moments = ["sends the start", "is answered", "looks at"] as const;
export type Moment = (typeof moments)[number];

/** One run of an engine, how it ends, and when it ends. */
export interface Act<C = Command> {
  command: C;
  end?: { at: Moment; how: End } | undefined;
  /** True if the bucket of the journal cannot be reached. */
  isJournalGone?: boolean;
}

/** Ends each run as its act demands. */
class Stage {
  readonly schedule: Schedule;
  #act: Act<unknown> = { command: undefined };
  #hasEnded = false;

  /** @param runs the largest number of runs. */
  constructor(runs: number) {
    this.schedule = new Schedule([], { end: runs, fault: Number.POSITIVE_INFINITY }, (_, options) => {
      const { end, isJournalGone } = this.#act;
      const gone = isJournalGone ? options.findIndex(({ label }) => label.endsWith(goneStore)) : 0;
      if (gone > 0) {
        return gone;
      }
      const isThere = !this.#hasEnded && end !== undefined && options[0]?.label.startsWith(end.at);
      const chosen = isThere ? options.findIndex(({ label }) => label === end.how) : 0;
      this.#hasEnded ||= chosen > 0;
      return Math.max(0, chosen);
    });
  }

  /** @returns the possible ends of its run. */
  begin(act: Act<unknown>): readonly End[] {
    this.#act = act;
    this.#hasEnded = false;
    return act.end === undefined ? [] : [act.end.how];
  }

  /** True if the moment of the act's end has come. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }
}

/** The result of an act. */
export interface Scene {
  /** True if the moment of its end has come. */
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /**
   * The number of starts that the platform has accepted so far; undefined while a process still works although its
   * engine has ended.
   */
  starts: number | undefined;
  /** The content of the state in the form of the engine's test. A job is its number among the starts, from 1. */
  state: unknown;
  /** The codes of its errors and warnings. */
  codes: readonly string[];
}

/**
 * The exports of Pulumi. An act is about one of them or about all, because exports that continue at the same time do
 * not reach a moment together.
 */
export const exportNames = ["site-0", "site-1"] as const;

/** The outcome of these acts in the model of Pulumi. */
export function play(acts: readonly Act[], store: StoreHabits = {}): Promise<Scene[]> {
  return playOn(acts, (machine) => {
    const program = exportNames.map((name) => ({ name, kind: "StaticExport" as const }));
    const { engine, platform } = surround(machine, { program, platform: quick, store: { ...store, goes: true } });
    const numberOf = numbering(platform);
    const saved = (name: string) => engine.backend[name]?.saved;
    return {
      run: (command: Command, ends) => engine.run(command, ends),
      starts: () => platform.jobs.length,
      state: () => exportNames.map((name) => saved(name) && numberOf(saved(name)?.id)),
    };
  });
}

/** The outcome of these acts in the model of Terraform. */
export function playOnTerraform(acts: readonly Act<TerraformCommand>[], habits: StoreHabits = {}): Promise<Scene[]> {
  return playOn(acts, (machine) => {
    const platform = new ModelPlatform(machine, quick);
    const store = new ModelStore(machine, { ...habits, goes: true });
    const engine = new TerraformEngine(machine, platform, (process) => runtimeOn(machine, store, process));
    const numberOf = numbering(platform);
    return {
      async run(command: TerraformCommand, ends) {
        const { outcome, told } = await engine.run(command, ends);
        return { outcome, texts: [...told.errors, ...told.warnings].map(({ text }) => text) };
      },
      starts: () => (engine.isAtRest ? platform.jobs.length : undefined),
      state: () =>
        [...engine.core().state].sort().map(([address, { current, deposed }]) => ({
          address,
          job: current && numberOf(current.block.job_id),
          isTainted: current?.tainted,
          deposed: deposed.length,
        })),
    };
  });
}

const quick: PlatformHabits = { runningLooks: 0 };

function numbering({ jobs }: ModelPlatform): (jobId: unknown) => number {
  return (jobId) => jobs.findIndex(({ id }) => id === jobId) + 1;
}

interface Played<C> {
  run(command: C, ends: readonly End[]): Promise<{ outcome: Scene["outcome"]; texts: readonly string[] }>;
  starts(): number | undefined;
  state(): unknown;
}

function playOn<C>(acts: readonly Act<C>[], modelOn: (machine: Machine) => Played<C>): Promise<Scene[]> {
  return withoutChance(() => playAll(acts, modelOn));
}

async function playAll<C>(acts: readonly Act<C>[], modelOn: (machine: Machine) => Played<C>): Promise<Scene[]> {
  const stage = new Stage(acts.length);
  const model = modelOn(new Machine(stage.schedule));
  const scenes: Scene[] = [];
  for (const act of acts) {
    const { outcome, texts } = await model.run(act.command, stage.begin(act));
    const codes = codesIn(texts.join("\n"));
    scenes.push({ isEnded: stage.hasEnded, outcome, starts: model.starts(), state: model.state(), codes });
  }
  return scenes;
}
