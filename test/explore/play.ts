import { errorCodesIn } from "./errorCodesIn";
import { Machine, type RunStop, withoutChance } from "./machine";
import { ModelPlatform, type PlatformHabits } from "./platform";
import type { Command } from "./program";
import { runtimeOn } from "./runtime";
import { Schedule } from "./schedule";
import { ModelStore, type StoreHabits, unreachableStore } from "./store";
import { surround } from "./story";
import { type TerraformCommand, TerraformEngine } from "./terraform";

/**
 * The moments at which an act may end a run: before a start arrives, after a start is accepted but before its answer,
 * and during a poll. A model and a real platform can both observe these moments.
 */
export const moments = ["sends the start", "is answered", "looks at"] as const;
export type Moment = (typeof moments)[number];

export interface Act<C = Command> {
  command: C;
  end?: { at: Moment; how: RunStop } | undefined;
  /** True if the journal's bucket cannot be reached during the run. */
  isJournalGone?: boolean;
}

/** Chooses the steps of a schedule so that each run ends as its act says. */
class Stage {
  readonly schedule: Schedule;
  #act: Act<unknown> = { command: undefined };
  #hasEnded = false;

  constructor(runs: number) {
    this.schedule = new Schedule([], { end: runs, fault: Number.POSITIVE_INFINITY }, (_, options) => {
      const { end, isJournalGone } = this.#act;
      const gone = isJournalGone ? options.findIndex(({ label }) => label.endsWith(unreachableStore)) : 0;
      if (gone > 0) {
        return gone;
      }
      const isThere = !this.#hasEnded && end !== undefined && options[0]?.label.startsWith(end.at);
      const chosen = isThere ? options.findIndex(({ label }) => label === end.how) : 0;
      this.#hasEnded ||= chosen > 0;
      return Math.max(0, chosen);
    });
  }

  /** @returns the ways in which the act's run may end. */
  begin(act: Act<unknown>): readonly RunStop[] {
    this.#act = act;
    this.#hasEnded = false;
    return act.end === undefined ? [] : [act.end.how];
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }
}

export interface Scene {
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /**
   * The number of starts that the platform has accepted so far. It is undefined while a provider process works without
   * its engine, because that process may still send a start.
   */
  starts: number | undefined;
  /** The state, with a number in place of each job's id. The first started job has the number 1. */
  state: unknown;
  codes: readonly string[];
}

/**
 * The names of the exports in Pulumi's program. Each command targets only one of these exports. With two exports, a
 * run that an act ends would leave the second export in a random state.
 */
export const exportNames = ["site-0", "site-1"] as const;

export function play(acts: readonly Act[], store: StoreHabits = {}): Promise<Scene[]> {
  return playOn(acts, (machine) => {
    const program = exportNames.map((name) => ({ name, kind: "StaticExport" as const }));
    const { engine, platform } = surround(machine, { program, platform: quick, store: { ...store, goes: true } });
    const numberOf = numbering(platform);
    const saved = (name: string) => engine.backend[name]?.saved;
    return {
      run: (command: Command, stops) => engine.run(command, stops),
      starts: () => platform.jobs.length,
      state: () => exportNames.map((name) => saved(name) && numberOf(saved(name)?.id)),
    };
  });
}

export function playOnTerraform(acts: readonly Act<TerraformCommand>[], habits: StoreHabits = {}): Promise<Scene[]> {
  return playOn(acts, (machine) => {
    const platform = new ModelPlatform(machine, quick);
    const store = new ModelStore(machine, { ...habits, goes: true });
    const engine = new TerraformEngine(machine, platform, (process) => runtimeOn(machine, store, process));
    const numberOf = numbering(platform);
    return {
      async run(command: TerraformCommand, stops) {
        const { outcome, messages } = await engine.run(command, stops);
        return { outcome, texts: [...messages.errors, ...messages.warnings].map(({ text }) => text) };
      },
      starts: () => (engine.isIdle ? platform.jobs.length : undefined),
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

const quick: PlatformHabits = { runningPolls: 0 };

function numbering({ jobs }: ModelPlatform): (jobId: unknown) => number {
  return (jobId) => jobs.findIndex(({ id }) => id === jobId) + 1;
}

interface Played<C> {
  run(command: C, stops: readonly RunStop[]): Promise<{ outcome: Scene["outcome"]; texts: readonly string[] }>;
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
    const codes = errorCodesIn(texts.join("\n"));
    scenes.push({ isEnded: stage.hasEnded, outcome, starts: model.starts(), state: model.state(), codes });
  }
  return scenes;
}
