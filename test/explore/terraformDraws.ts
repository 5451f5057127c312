import type { Random } from "../support/random";
import type { Blocks, Configuration, Declared } from "../support/terraform/core";
import { blocksOf, choicesOf, type Drawn, drawAll, drawSome } from "../support/terraform/draw";
import { everyEnd } from "./pulumi";
import { Schedule } from "./schedule";
import { addressOf, type TerraformCommand } from "./terraform";
import { type TerraformScript, tellOfTerraform } from "./terraformStory";

const type = "docsplatform_static_export";
const { job_id: _, ...draws } = choicesOf(["job-1"], "/")[type] ?? {};

/** One step in so many is disturbed, as long as something is left that may. */
const rarity = 12;

/** What a person has written down for one address. */
interface Written {
  drawn: Drawn;
  createFirst: boolean;
  ignore: readonly string[] | "all";
  preventDestroy: boolean;
}

function written(random: Random, drawn: Drawn): Written {
  const names = Object.keys(draws) as [string, ...string[]];
  return {
    drawn,
    createFirst: random.pick([true, false, false]),
    ignore: random.pick([[], [], [], [random.pick(names)], "all"]),
    preventDestroy: random.next() < 0.03,
  };
}

function declaredOf(all: ReadonlyMap<string, Written>): Configuration {
  const entries = [...all].map(([address, { drawn, ...rest }]): [string, Declared] => {
    const { config, early } = blocksOf(drawn);
    return [address, { type, config, early, ...rest }];
  });
  return Object.fromEntries(entries);
}

/** What a person does to some exports in a few runs, with everything that Terraform offers. */
export function drawScript(random: Random, number: number): TerraformScript {
  const all = new Map<string, Written>();
  const areEqual = random.next() < 0.5;
  const first = drawAll(random, type, draws);
  let names = 0;
  const add = () => {
    const drawn = areEqual ? first : drawAll(random, type, draws);
    all.set(addressOf(++names), written(random, drawn));
  };
  for (let left = random.pick([1, 1, 1, 2, 2, 3, random.whole(9, 12)]); left > 0; left--) {
    add();
  }
  let blocks: Blocks = {};
  const failing = random.next() < 0.1 ? [1] : [];
  const someone = () => random.pick([...all.keys()] as [string, ...string[]]);
  const commands: (TerraformCommand | "as told")[] = [];
  const change = () => {
    const address = someone();
    const { drawn, ...rest } = all.get(address) as Written;
    const chance = random.next();
    if (chance < 0.5) {
      all.set(address, { ...written(random, drawSome(random, drawn, draws)), ...rest });
    } else if (chance < 0.65) {
      add();
    } else if (chance < 0.8 && all.size > 1) {
      all.delete(address);
      if (random.next() < 0.4) {
        blocks = { ...blocks, forgotten: [...(blocks.forgotten ?? []), address] };
      }
    } else if ((chance < 0.9 || failing.length > 0) && blocks.moved === undefined) {
      const to = addressOf(++names);
      all.delete(address);
      all.set(to, { drawn, ...rest });
      blocks = { ...blocks, moved: { [address]: to } };
    } else if (failing.length === 0) {
      add();
      const imported = all.get(addressOf(names)) as Written;
      // What is ignored is never noted of what is imported.
      all.set(addressOf(names), { ...imported, ignore: [] });
      blocks = { ...blocks, imports: { [addressOf(names)]: `job-${random.whole(1, 2)}` } };
    }
  };
  for (let left = random.whole(2, 6); left > 0; left--) {
    const chance = random.next();
    const of = [someone()];
    const state = random.next() < 0.1 ? { state: "other" } : {};
    const about = { declared: declaredOf(all), blocks, ...state };
    if (chance < 0.1) {
      commands.push("as told");
    } else if (chance < 0.22) {
      commands.push({ kind: "taint", of, ...state });
    } else if (chance < 0.27) {
      commands.push({ kind: "untaint", of, ...state });
    } else if (chance < 0.32) {
      commands.push({ kind: "destroy", ...state });
    } else if (chance < 0.4) {
      commands.push({ kind: "plan", ...about }, { kind: "apply the plan", ...state });
    } else {
      const flags = random.pick([{}, {}, {}, { of }, { target: of }, { refresh: false }, { refresh: "only" }] as const);
      commands.push({ kind: "apply", ...about, ...flags });
      blocks = blocks.moved === undefined ? {} : { moved: blocks.moved };
      if (random.next() < 0.4) {
        change();
      }
    }
  }
  commands.push({ kind: "apply", declared: declaredOf(all), blocks });
  return {
    name: `drawn ${number}`,
    commands,
    ends: everyEnd,
    budget: { end: random.whole(0, 3), fault: random.whole(0, 2), turn: random.whole(0, 3) },
    interleaves: random.next() < 0.3,
    terraform: { savesAtTheEnd: random.next() < 0.15 },
    platform: {
      startFaults: ["its answer is lost", "never arrives", "503", "429", "409"],
      lookFaults: random.next() < 0.2 ? ["403"] : [],
      failing,
      runningLooks: random.whole(0, 2),
    },
    store: { fails: random.next() < 0.1, losesAnswers: random.next() < 0.1, isRemote: random.next() < 0.3 },
  };
}

/** Tells one drawn story in which something may happen at each step. @returns what is broken, and the story. */
export async function tellDrawn(random: Random, number: number): Promise<{ problems: string[]; story: string[] }> {
  const script = drawScript(random, number);
  const chooser = (_: unknown, payable: readonly number[]) =>
    payable.length > 1 && random.whole(1, rarity) === 1 ? (payable[random.whole(1, payable.length - 1)] ?? 0) : 0;
  const schedule = new Schedule([], script.budget, undefined, chooser);
  const problems = await tellOfTerraform(script, schedule);
  return { problems, story: schedule.story };
}
