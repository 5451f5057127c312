import { Machine } from "./machine";
import type { Command } from "./program";
import type { End } from "./pulumi";
import { Schedule } from "./schedule";
import type { Script } from "./story";
import { surroundingsOf } from "./surroundings";

/**
 * A moment that a model and a real platform both see: a start is about to arrive, it is accepted and not answered yet, or a
 * job is looked at. As the model's steps begin.
 */
export const moments = ["sends the start", "is answered", "looks at"] as const;
export type Moment = (typeof moments)[number];

/** One run of the engine, and how it ends at which moment. */
export interface Act {
  command: Command;
  end?: { at: Moment; how: End } | undefined;
}

/** What came of an act. */
export interface Scene {
  /** The moment of its end has come. */
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /** The starts that the platform has accepted up to now. */
  starts: number;
  /** Which of their jobs the state has, from 1. */
  job: number | undefined;
  /** The codes of its errors. */
  codes: readonly string[];
}

export const codesIn = (text: string): string[] =>
  [...new Set(text.match(/\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/g) ?? [])].sort();

/** What the model makes of these acts, each with one export. */
export async function play(acts: readonly Act[], store: Script["store"] = {}): Promise<Scene[]> {
  let end: Act["end"];
  const schedule = new Schedule([], { end: acts.length }, undefined, (_, __, options) => {
    const isThere = end !== undefined && options[0]?.label.startsWith(end.at);
    const chosen = isThere ? options.findIndex(({ label }) => label === end?.how) : 0;
    if (chosen > 0) {
      end = undefined;
    }
    return Math.max(0, chosen);
  });
  const platform = { runningLooks: 0 };
  const here = surroundingsOf({ name: "a play", commands: [], budget: {}, platform, store })(new Machine(schedule));
  const scenes: Scene[] = [];
  for (const act of acts) {
    schedule.beginRun();
    end = act.end;
    const { outcome, texts } = await here.engine.run(act.command, act.end === undefined ? [] : [act.end.how]);
    const saved = here.engine.backend.site?.saved;
    scenes.push({
      isEnded: act.end !== undefined && end === undefined,
      outcome,
      starts: here.platform.jobs.length,
      job: saved && here.platform.jobs.findIndex(({ id }) => id === saved.id) + 1,
      codes: codesIn(texts.join("\n")),
    });
  }
  return scenes;
}
