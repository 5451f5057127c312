import type { Random } from "../support/random";
import type { Blocks, Configuration, ConfiguredResource, Read, Triggered } from "../support/terraform/core";
import { bool, object, textValue } from "../support/terraform/cty";
import {
  blocksOf,
  choicesOf,
  type Drawn,
  type Draws,
  drawAll,
  drawSome,
  none,
  textChoice,
} from "../support/terraform/draw";
import { everyEnd } from "./pulumi";
import { Schedule } from "./schedule";
import { addressOf, type TerraformCommand } from "./terraform";
import { mirrors } from "./terraformMirrors";
import { type TerraformScript, tellOfTerraform } from "./terraformStory";

const exports = "docsplatform_static_export";
const links = "docsplatform_export_bundle";
const messages = "docsplatform_agent_message";

/** Existing jobs that no resource has. */
const [theirs, alsoTheirs] = ["theirs-1", "theirs-2"];
/** The jobs that messages may go to. */
const agentJob = "agent-1";
const drawable = choicesOf([theirs], "/", agentJob);
const { job_id: someJob = [none], ...others } = drawable[exports] ?? {};
/** Most exports adopt no job. */
const draws: Draws = { ...others, job_id: [none, none, none, none, ...someJob] };
/** By the number of the mirror, since most mirrors have a place of their own. */
const mirrorDraws = (number: number): Draws => ({
  ...choicesOf([theirs, alsoTheirs], `/mirrors/${number}`)[mirrors],
  ...(number % 3 === 0 && { destination: [textChoice(`s3://mirrors/${number}?region=eu-1`)] }),
});
const drawsOf = (type: string, number: number) =>
  type === exports ? draws : type === mirrors ? mirrorDraws(number) : (drawable[type] ?? {});

const triggerable: readonly [Triggered, ...Triggered[]] = [
  {
    type: exports,
    config: { domain: textValue("action.test"), export_options: object({ format: textValue("html") }) },
  },
  {
    type: messages,
    config: { job_id: textValue(agentJob), prompt: textValue("From an action."), wait_for_completion: bool(true) },
  },
];

/** One step in this many is disturbed, as long as the budget lasts. */
const rarity = 12;

/** The declaration of one address, as a person has written it. */
interface Written {
  drawn: Drawn;
  createFirst: boolean;
  ignore: readonly string[] | "all";
  preventDestroy: boolean;
  /** The number of a mirror's place. */
  place: number;
  /** The export whose job it is about. */
  refers?: string;
  triggers?: readonly Triggered[];
}

function written(random: Random, drawn: Drawn): Omit<Written, "place"> {
  const names = Object.keys(drawn.choices) as [string, ...string[]];
  return {
    drawn,
    createFirst: random.pick([true, false, false]),
    ignore: random.pick([[], [], [], [random.pick(names)], "all"]),
    preventDestroy: random.next() < 0.03,
    ...(random.next() < 0.1 && { triggers: [random.pick(triggerable)] }),
  };
}

function declaredOf(all: ReadonlyMap<string, Written>): Configuration {
  const entries = [...all].map(([address, { drawn, refers, place: _place, ...rest }]): [string, ConfiguredResource] => {
    const { config, early } = blocksOf(drawn);
    const { job_id: _given, ...others } = config;
    const { job_id: _early, ...earlyOthers } = early;
    const own = refers === undefined ? { config, early } : { config: others, early: earlyOthers };
    return [address, { type: drawn.type, ...own, ...(refers && { refers: { job_id: refers } }), ...rest }];
  });
  return Object.fromEntries(entries);
}

/** Draws the commands of a person about some exports in a few runs, with everything that Terraform offers. */
export function drawScript(random: Random, number: number): TerraformScript {
  const all = new Map<string, Written>();
  const areEqual = random.next() < 0.5;
  const first: Record<string, Drawn> = {};
  let names = 0;
  const exportsThere = () => [...all.keys()].filter((address) => address.startsWith(`${exports}.`));
  const add = (type: string) => {
    const place = type === mirrors ? random.whole(1, 3) : 0;
    first[type] ??= drawAll(random, type, drawsOf(type, place));
    const isEqual = areEqual && type !== links && type !== mirrors;
    const drawn = isEqual ? first[type] : drawAll(random, type, drawsOf(type, place));
    const address = addressOf(++names, type);
    const there = exportsThere() as [string, ...string[]];
    const isAboutJob = type === links || type === mirrors;
    const refers = isAboutJob && there.length > 0 && random.next() < 0.7 ? random.pick(there) : undefined;
    all.set(address, { ...written(random, drawn), place, ...(refers && { refers }) });
    return address;
  };
  for (let left = random.pick([1, 1, 1, 2, 2, 3, random.whole(9, 12)]); left > 0; left--) {
    add(exports);
  }
  for (const type of random.pick([
    [],
    [],
    [links],
    [messages],
    [mirrors],
    [messages, messages],
    [links, links, messages],
    [mirrors, mirrors],
  ])) {
    add(type);
  }
  let blocks: Blocks = {};
  const failing = random.next() < 0.1 ? [1] : [];
  const someone = () => random.pick([...all.keys()] as [string, ...string[]]);
  const commands: (TerraformCommand | "as told")[] = [];
  /** Lets all that refer to an address refer to another one, or to none. */
  const redirect = (from: string, to: string | undefined) => {
    for (const [address, { refers, ...rest }] of all) {
      if (refers === from) {
        all.set(address, { ...rest, ...(to !== undefined && { refers: to }) });
      }
    }
  };
  const change = () => {
    const address = someone();
    const { drawn, ...rest } = all.get(address) as Written;
    const { type } = drawn;
    const chance = random.next();
    if (chance < 0.5) {
      all.set(address, { ...written(random, drawSome(random, drawn, drawsOf(type, rest.place))), ...rest });
    } else if (chance < 0.65) {
      add(random.pick([exports, exports, links, messages, mirrors]));
    } else if (chance < 0.8 && all.size > 1) {
      all.delete(address);
      redirect(address, exportsThere()[0]);
      if (random.next() < 0.4) {
        blocks = { ...blocks, forgotten: [...(blocks.forgotten ?? []), address] };
      }
    } else if ((chance < 0.9 || failing.length > 0) && blocks.moved === undefined) {
      const to = addressOf(++names, type);
      all.delete(address);
      redirect(address, to);
      all.set(to, { drawn, ...rest });
      blocks = { ...blocks, moved: { [address]: to } };
    } else if (failing.length === 0) {
      const added = add(exports);
      blocks = { ...blocks, imports: { [added]: `job-${random.whole(1, 2)}` } };
    }
  };
  const drawReads = (there: readonly string[]): Read[] => {
    const [refers] = there;
    const about = refers === undefined || random.next() < 0.3 ? {} : { refers: { job_id: refers } };
    const config = about.refers === undefined ? { job_id: textValue(theirs) } : {};
    const choices: readonly [Read, ...Read[]] = [
      { kind: "dataSources", type: exports, config, ...about },
      { kind: "ephemeralResources", type: links, config: { ...config, verify_link: bool(true) }, ...about },
      { kind: "dataSources", type: "docsplatform_agent_job", config: { job_id: textValue(agentJob) } },
    ];
    return random.next() < 0.2 ? [random.pick(choices)] : [];
  };
  for (let left = random.whole(2, 6); left > 0; left--) {
    const chance = random.next();
    const of = [someone()];
    const state = random.next() < 0.1 ? { state: "other" } : {};
    const about = { declared: declaredOf(all), blocks: { ...blocks, reads: drawReads(exportsThere()) }, ...state };
    if (chance < 0.1) {
      commands.push("as told");
    } else if (chance < 0.22) {
      commands.push({ kind: "taint", of, ...state });
    } else if (chance < 0.27) {
      commands.push({ kind: "untaint", of, ...state });
    } else if (chance < 0.32) {
      commands.push({ kind: "destroy", ...state });
    } else if (chance < 0.35) {
      commands.push({ kind: "invoke", action: random.pick(triggerable) });
    } else if (chance < 0.4) {
      // A command between a plan and its apply makes the plan late, or stale.
      const between: readonly [TerraformCommand[], ...TerraformCommand[][]] = [
        [],
        [],
        [{ kind: "rest" }],
        [{ kind: "rest" }, { kind: "rest" }],
        [{ kind: "taint", of, ...state }],
        [{ kind: "apply", ...about, refresh: "only" }],
      ];
      commands.push({ kind: "plan", ...about }, ...random.pick(between), { kind: "apply the plan", ...state });
    } else if (chance < 0.47) {
      commands.push({ kind: "rest" });
    } else {
      const flags = random.pick([
        {},
        {},
        {},
        { of },
        { target: of },
        { refresh: false },
        { refresh: "only" },
        { of, target: of },
        { of, refresh: false },
        { target: of, refresh: false },
      ] as const);
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
    destination: {
      fails: random.next() < 0.3,
      losesAnswers: random.next() < 0.3,
      breaksOff: random.next() < 0.3,
      others: random.next() < 0.2 ? ["/mirrors/1/a/theirs.txt"] : [],
    },
    store: { fails: random.next() < 0.1, losesAnswers: random.next() < 0.1, isRemote: random.next() < 0.3 },
  };
}

/**
 * Plays one drawn story in which something may happen at each step.
 * @returns the broken rules, and the story.
 */
export async function tellDrawn(random: Random, number: number): Promise<{ problems: string[]; story: string[] }> {
  const script = drawScript(random, number);
  const chooser = (_: unknown, payable: readonly number[]) =>
    payable.length > 1 && random.whole(1, rarity) === 1 ? (payable[random.whole(1, payable.length - 1)] ?? 0) : 0;
  const schedule = new Schedule({ prefix: [] }, script.budget, undefined, chooser);
  const problems = await tellOfTerraform(script, schedule);
  return { problems, story: schedule.story };
}
