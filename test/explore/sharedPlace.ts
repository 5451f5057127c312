import { isLease } from "../../provider/mirror/leases";
import { ModelDestinations, parsedPlace, placeOf } from "./destinations";
import { Machine } from "./machine";
import { brokenMirrors, savedMirrors } from "./mirrorRules";
import { ModelPlatform } from "./platform";
import type { Command } from "./program";
import { type End, PulumiEngine, type RunResult } from "./pulumi";
import type { Budget, Schedule } from "./schedule";
import { ModelStore } from "./store";
import { worldOn } from "./surroundings";

/** Two stacks, each with a mirror at one place, whose runs go on at the same time. */
export interface SharedScript {
  name: string;
  destination: string;
  layout: "archive" | "site";
  /** The job of each mirror. */
  jobs: readonly [string, string];
  /** The commands that both run at the same time, in their order. */
  rounds: readonly (readonly [first: Command["kind"] | undefined, second: Command["kind"] | undefined])[];
  /** The ends of the runs of the first stack. */
  ends?: readonly End[];
  /** True if the second stack is on another machine. */
  apart?: boolean;
  budget: Budget;
  /** True if only the campaign explores it. */
  slow?: boolean;
  /** The limits of the long form. */
  long?: { ends?: readonly End[]; budget?: Budget };
}

const [folder, bucket] = ["file:///shared", "s3://shared/docs?region=eu-1"];
const [same, other] = [
  ["theirs-1", "theirs-1"],
  ["theirs-1", "theirs-2"],
] as const;

const both: SharedScript["rounds"] = [
  ["up", "up"],
  ["destroy", "destroy"],
];
const going: SharedScript["rounds"] = [
  ["up", undefined],
  [undefined, "up"],
  ["destroy", "destroy"],
];
const passing: SharedScript["rounds"] = [
  ["up", undefined],
  ["destroy", "up"],
  [undefined, "destroy"],
];

/** Every schedule in which one run comes between the steps of the other once, or twice in the long form. */
export const sharedScripts: readonly SharedScript[] = [
  { name: "two archives", destination: folder, layout: "archive", jobs: same, rounds: both },
  { name: "two archives that go at once", destination: bucket, layout: "archive", jobs: same, rounds: going },
  {
    name: "an archive that goes while another comes",
    slow: true,
    destination: bucket,
    layout: "archive",
    jobs: same,
    rounds: passing,
  },
  { name: "two sites of one job", slow: true, destination: bucket, layout: "site", jobs: same, rounds: both },
  { name: "two sites that go at once", destination: folder, layout: "site", jobs: same, rounds: going },
  { name: "sites of two jobs", destination: folder, layout: "site", jobs: other, rounds: [["up", "up"]] },
  { name: "a site that goes while another comes", destination: folder, layout: "site", jobs: other, rounds: passing },
].map((script) => ({ ...script, budget: { turn: 1 }, long: { budget: { turn: 2 } } }) as SharedScript);

/** Scripts in which one of the runs is killed. */
export const killedScripts: readonly SharedScript[] = [
  { name: "two archives, one killed", destination: folder, layout: "archive", jobs: same, rounds: both, apart: false },
  {
    name: "two archives on two machines, one killed",
    slow: true,
    destination: bucket,
    layout: "archive",
    jobs: same,
    rounds: both,
    apart: true,
  },
  {
    name: "two sites, one killed",
    slow: true,
    destination: folder,
    layout: "site",
    jobs: same,
    rounds: both,
    apart: true,
  },
].map(
  (script) =>
    ({ ...script, ends: ["kill"], budget: { end: 1 }, long: { budget: { end: 1, turn: 1 } } }) as SharedScript,
);

interface Stack {
  engine: PulumiEngine;
  /** True if its last run was green: then all that its state has is whole. */
  isSound: boolean;
  texts: string[];
}

/** Plays one story, and returns the rules that it broke. */
export async function tellOfShared(script: SharedScript, schedule: Schedule): Promise<string[]> {
  const machine = new Machine(schedule, "for good");
  machine.usesFiles = script.layout === "site";
  const platform = new ModelPlatform(machine);
  const store = new ModelStore(machine);
  const destinations = new ModelDestinations(machine);
  const problems = new Set<string>();
  const stacks = script.jobs.map((jobId, index): Stack => {
    const inputs = { jobId, destination: script.destination, layout: script.layout };
    const program = [{ name: "mirror", kind: "BundleMirror" as const, inputs }];
    const worldOf = (process: Parameters<typeof worldOn>[2]) => worldOn(machine, store, process, destinations);
    const engine = new PulumiEngine(machine, platform, worldOf, program, {}, {}, index === 0 ? "prod" : "staging");
    return { engine, isSound: false, texts: [] };
  });
  // A person refreshes after a run that was killed.
  let isAtPeace = false;
  const place = placeOf(parsedPlace(script.destination));

  async function round(commands: SharedScript["rounds"][number], ends: readonly End[] = []): Promise<void> {
    const [first, second] = stacks as [Stack, Stack];
    machine.schedule.beginRun();
    const command = (kind: Command["kind"], isSecond: boolean): Command => ({
      kind,
      refreshes: isAtPeace,
      elsewhere: isSecond && script.apart === true,
    });
    const beside = commands[1] && second.engine.runBeside(command(commands[1], true));
    if (commands[0] !== undefined) {
      note(first, await first.engine.run(command(commands[0], false), ends));
    }
    const result = beside && (await machine.run(machine.spawn("nobody"), undefined, beside));
    if (result !== undefined && result !== "ended") {
      note(second, result);
    }
    await check();
  }

  function note(stack: Stack, { outcome, texts }: RunResult): void {
    stack.isSound = outcome === "green";
    stack.texts.push(...texts);
    for (const text of [...texts, outcome]) {
      schedule.tell(`    ${text.split("\n")[0]}`);
    }
  }

  async function check(): Promise<void> {
    for (const { engine, isSound } of stacks) {
      const saved = savedMirrors(engine.backend);
      for (const problem of isSound ? await brokenMirrors(destinations, saved) : []) {
        problems.add(problem);
      }
      for (const [, { __difference }] of saved) {
        if (isSound && __difference !== undefined) {
          problems.add(`RESTLESS: after green runs, a refresh says: ${__difference}`);
        }
      }
    }
    // The name of a killed run stays, and a removal says so.
    const isTold =
      script.ends !== undefined &&
      stacks.some(({ texts }) => texts.some((text) => text.includes("names other mirrors")));
    const isEmpty = stacks.every(({ engine, isSound }) => isSound && savedMirrors(engine.backend).length === 0);
    for (const name of isEmpty ? destinations.files.keys() : []) {
      if (name.startsWith(place) && !(isTold && !isLease(name.slice(place.length)))) {
        problems.add(`LEFT: ${name} is there, and no state has a mirror`);
      }
    }
  }

  for (const commands of script.rounds) {
    await round(commands, script.ends);
    if (commands.includes("up")) {
      // A refresh of what is sound finds it as it was.
      for (const [index, { isSound }] of stacks.entries()) {
        await round(isSound ? (index === 0 ? ["refresh", undefined] : [undefined, "refresh"]) : [undefined, undefined]);
      }
    }
  }
  await endInPeace();
  destinations.end();
  return [...problems];

  /** Runs one stack after the other, so that a run that nothing disturbs follows each that was killed or refused. */
  async function endInPeace(): Promise<void> {
    isAtPeace = true;
    const alone = (kind: Command["kind"], index: number): SharedScript["rounds"][number] =>
      index === 0 ? [kind, undefined] : [undefined, kind];
    for (const [index, stack] of stacks.entries()) {
      await round(alone("up", index));
      if (!stack.isSound && !stack.texts.some((text) => text.includes("give each mirror its own destination"))) {
        problems.add(`STUCK: the mirror of ${index === 0 ? "prod" : "staging"} does not come to be`);
      }
    }
    for (const index of stacks.keys()) {
      await round(alone("destroy", index));
    }
  }
}
