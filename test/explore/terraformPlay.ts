import { Machine } from "./machine";
import { ModelPlatform } from "./platform";
import { type Act, Stage } from "./play";
import { ModelStore } from "./store";
import type { Script } from "./story";
import { worldOn } from "./surroundings";
import { type TerraformCommand, TerraformEngine } from "./terraform";
import { codesIn } from "./told";

/** An object of the state: its job, from 1, and whether it is tainted. */
export interface SceneObject {
  job: number;
  isTainted: boolean;
}

/** The result of an act. */
export interface TerraformScene {
  /** True if the moment of its end has come. */
  isEnded: boolean;
  outcome: "green" | "red" | "ended";
  /** The starts that the platform has accepted so far; undefined while a process without its Terraform is at work. */
  starts: number | undefined;
  /** The objects of the state, by their addresses. */
  objects: Readonly<Record<string, SceneObject>>;
  /** The number of old objects that unfinished replacements have left. */
  deposed: number;
  /** The codes of its errors and warnings. */
  codes: readonly string[];
}

/** Plays these acts on the model. */
export async function playOnTerraform(
  acts: readonly Act<TerraformCommand>[],
  habits: Script["store"] = {},
): Promise<TerraformScene[]> {
  const stage = new Stage(acts.length);
  const machine = new Machine(stage.schedule);
  const platform = new ModelPlatform(machine, { runningLooks: 0 });
  const store = new ModelStore(machine, { ...habits, goes: "wholly" });
  const engine = new TerraformEngine(machine, platform, (process) => worldOn(machine, store, process));
  const scenes: TerraformScene[] = [];
  for (const act of acts) {
    stage.schedule.beginRun();
    const { outcome, told } = await engine.run(act.command, stage.begin(act));
    const ids = platform.jobs.map(({ id }) => id);
    const saved = [...engine.core().state];
    const objects = saved.flatMap(([address, { current }]) =>
      current === undefined
        ? []
        : [
            [
              address,
              { job: ids.indexOf(String(current.block.job_id?.content)) + 1, isTainted: current.tainted },
            ] as const,
          ],
    );
    scenes.push({
      isEnded: stage.hasEnded,
      outcome,
      starts: engine.orphans.some(({ isAlive }) => isAlive) ? undefined : ids.length,
      objects: Object.fromEntries(objects.sort()),
      deposed: saved.reduce((count, [, { deposed }]) => count + deposed.length, 0),
      codes: codesIn([...told.errors, ...told.warnings].map(({ text }) => text).join("\n")),
    });
  }
  return scenes;
}
