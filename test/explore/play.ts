import { Machine } from "./machine";
import type { Command } from "./program";
import type { End } from "./pulumi";
import { Schedule } from "./schedule";
import type { Script } from "./story";
import { surroundingsOf } from "./surroundings";

/**
 * A moment that a model and a real platform both see: a start is about to arrive, a start is accepted but not answered
 * yet, or a job is polled. Each is named like the model's step.
 */
export const moments = ["sends the start", "is answered", "looks at"] as const;
export type Moment = (typeof moments)[number];

/** One run of the engine, the kind of its end, and the moment of its end. */
export interface Act {
  command: Command;
  end?: { at: Moment; how: End } | undefined;
  /** The bucket of the journal cannot be reached. */
  isJournalGone?: boolean;
}

/** The exports of which each act is about one, or all: two that go on side by side have no moments in common. */
export const exportNames = ["site-0", "site-1"] as const;

/** The result of an act. */
export interface Scene {
  /** True if the moment of its end has come. */
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /** The starts that the platform has accepted so far. */
  starts: number;
  /** Which of their jobs the state has for each export, from 1. */
  jobs: (number | undefined)[];
  /** The codes of its errors. */
  codes: readonly string[];
}

export const codesIn = (text: string): string[] =>
  [...new Set(text.match(/\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/g) ?? [])].sort();

/** The outcome of these acts in the model. */
export async function play(acts: readonly Act[], store: Script["store"] = {}): Promise<Scene[]> {
  let end: Act["end"];
  let isGone = false;
  const budget = { end: acts.length, fault: acts.length };
  const schedule = new Schedule([], budget, undefined, (_, __, options) => {
    const gone = isGone ? options.findIndex(({ label }) => label.endsWith("is gone for reading")) : 0;
    if (gone > 0) {
      isGone = false;
      return gone;
    }
    const isThere = end !== undefined && options[0]?.label.startsWith(end.at);
    const chosen = isThere ? options.findIndex(({ label }) => label === end?.how) : 0;
    if (chosen > 0) {
      end = undefined;
    }
    return Math.max(0, chosen);
  });
  const platform = { runningLooks: 0 };
  const program = exportNames.map((name) => ({ name, kind: "StaticExport" as const }));
  const script: Script = { name: "a play", commands: [], program, budget, platform, store: { ...store, goes: true } };
  const here = surroundingsOf(script)(new Machine(schedule));
  const scenes: Scene[] = [];
  for (const act of acts) {
    schedule.beginRun();
    end = act.end;
    isGone = act.isJournalGone ?? false;
    const { outcome, texts } = await here.engine.run(act.command, act.end === undefined ? [] : [act.end.how]);
    const ids = here.platform.jobs.map(({ id }) => id);
    const saved = exportNames.map((name) => here.engine.backend[name]?.saved);
    scenes.push({
      isEnded: act.end !== undefined && end === undefined,
      outcome,
      starts: here.platform.jobs.length,
      jobs: saved.map((one) => one && ids.indexOf(one.id) + 1),
      codes: codesIn(texts.join("\n")),
    });
  }
  return scenes;
}
