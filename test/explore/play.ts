import { Machine } from "./machine";
import type { Command } from "./program";
import type { End } from "./pulumi";
import { Schedule } from "./schedule";
import { whollyGone } from "./store";
import type { Script } from "./story";
import { surroundingsOf } from "./surroundings";
import { codesIn } from "./told";

/**
 * A moment that a model and a real platform both see: a start is about to arrive, a start is accepted but not answered
 * yet, or a job is polled. Each is named like the model's step.
 */
export const moments = ["sends the start", "is answered", "looks at"] as const;
export type Moment = (typeof moments)[number];

/** One run of an engine, the kind of its end, and the moment of its end. */
export interface Act<C = Command> {
  command: C;
  end?: { at: Moment; how: End } | undefined;
  /** The bucket of the journal cannot be reached. */
  isJournalGone?: boolean;
}

/** Ends each run as its act says. */
export class Stage {
  readonly schedule: Schedule;
  #act: Act<unknown> = { command: undefined };
  #hasEnded = false;

  /** @param runs the largest number of runs. */
  constructor(runs: number) {
    const budget = { end: runs, fault: Number.POSITIVE_INFINITY };
    this.schedule = new Schedule({ prefix: [] }, budget, undefined, (_, __, options) => {
      const { end, isJournalGone } = this.#act;
      const gone = isJournalGone ? options.findIndex(({ label }) => label.endsWith(whollyGone)) : 0;
      if (gone > 0) {
        return gone;
      }
      const isThere = !this.#hasEnded && end !== undefined && options[0]?.label.startsWith(end.at);
      const chosen = isThere ? options.findIndex(({ label }) => label === end.how) : 0;
      this.#hasEnded ||= chosen > 0;
      return Math.max(0, chosen);
    });
  }

  /** @returns the ends that its run may have. */
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

/** The exports. An act is about one of them or about all: exports that go on at the same time share no moment. */
export const exportNames = ["site-0", "site-1"] as const;

/** The result of an act. */
export interface Scene {
  /** True if the moment of its end has come. */
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /** The starts that the platform has accepted so far. */
  starts: number;
  /** The job that the state has for each export: its number among the starts, from 1. */
  jobs: (number | undefined)[];
  /** The codes of its errors. */
  codes: readonly string[];
}

/** The outcome of these acts in the model. */
export async function play(acts: readonly Act[], store: Script["store"] = {}): Promise<Scene[]> {
  const stage = new Stage(acts.length);
  const platform = { runningLooks: 0 };
  const program = exportNames.map((name) => ({ name, kind: "StaticExport" as const }));
  const script = {
    name: "a play",
    commands: [],
    program,
    budget: {},
    platform,
    store: { ...store, goes: "wholly" as const },
  };
  const here = surroundingsOf(script)(new Machine(stage.schedule));
  const scenes: Scene[] = [];
  for (const act of acts) {
    stage.schedule.beginRun();
    const { outcome, texts } = await here.engine.run(act.command, stage.begin(act));
    const ids = here.platform.jobs.map(({ id }) => id);
    const saved = exportNames.map((name) => here.engine.backend[name]?.saved);
    scenes.push({
      isEnded: stage.hasEnded,
      outcome,
      starts: here.platform.jobs.length,
      jobs: saved.map((one) => one && ids.indexOf(one.id) + 1),
      codes: codesIn(texts.join("\n")),
    });
  }
  return scenes;
}
