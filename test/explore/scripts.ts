import type { Command, DeclaredResource } from "./program";
import { type End, everyEnd } from "./pulumi";
import type { Script } from "./story";

const up: Command = { kind: "up" };
const replace: Command = { kind: "up", replace: ["site", "another", "third", "message"] };
const destroy: Command = { kind: "destroy" };
const refresh: Command = { kind: "refresh" };
const elsewhere: Command = { kind: "up", elsewhere: true };
const startFaults = [
  "its answer is lost",
  "never arrives",
  "arrives after the run",
  "503",
  "429",
  "409",
  "409 that names another's job",
] as const;

/** A script with a kill, and the commands of a person. */
const fewEnds: readonly End[] = ["kill", "Ctrl-C"];

const site: DeclaredResource = { name: "site", kind: "StaticExport" };
const link: DeclaredResource = { name: "link", kind: "ExportBundle", of: "site" };
const message: DeclaredResource = { name: "message", kind: "AgentMessage" };
const another: DeclaredResource = { name: "another", kind: "StaticExport" };
const third: DeclaredResource = { name: "third", kind: "StaticExport" };

/** Runs `up` with these triggers. */
const triggered = (triggers: string): Command => ({
  kind: "up",
  inputs: { site: { triggers }, message: { triggers } },
});

const folder = "file:///mirrors";
const bucket = "s3://mirrors/docs?region=eu-1";
const mirror = (destination: string, layout: string, more = {}): DeclaredResource => ({
  name: "mirror",
  kind: "BundleMirror",
  inputs: { destination, layout, ...more },
});
const second = (first: DeclaredResource): DeclaredResource => ({ ...first, name: "second" });
const otherJob: Command = { kind: "up", inputs: { mirror: { jobId: "theirs-2" }, second: { jobId: "theirs-2" } } };
const replaceMirror: Command = { kind: "up", replace: ["mirror"] };
const others = { [folder]: "/mirrors/theirs.txt", [bucket]: "mirrors/docs/theirs.txt" };

/** The form of a script that every test run explores. */
export const shortened = (script: Script): Script => ({ ...script, ...script.short });

/** Every schedule of two runs with every end and one fault, and of three runs with every end. */
export const scripts: readonly Script[] = [
  { name: "two runs, two ends", commands: [up, up], ends: everyEnd, budget: { end: 2 } },
  {
    name: "three runs, two ends",
    commands: [up, up, up],
    ends: everyEnd,
    budget: { end: 2 },
    short: { ends: fewEnds },
  },
  {
    name: "a create that is retried by an update in the same step",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    platform: { lookFaults: ["403"] },
    engine: { retriesByUpdate: true },
    short: { ends: fewEnds },
  },
  {
    name: "a message that is retried in the same way",
    commands: [up, up],
    program: [message],
    ends: everyEnd,
    budget: { end: 2 },
    engine: { retriesByUpdate: true },
    short: { ends: ["kill"] },
  },
  {
    name: "a bucket that stores and answers 503",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { losesAnswers: true, isRemote: true },
  },
  {
    name: "a store that fails",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { fails: true },
  },
  {
    name: "a bucket whose lists are late",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { listsLate: true, isRemote: true },
  },
  {
    name: "answers of the platform that are lost or no",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    platform: { startFaults },
  },
  {
    name: "a lost answer, and a foreign job in the way",
    commands: [up, up],
    ends: ["kill"],
    budget: { end: 1, fault: 2 },
    platform: { startFaults: ["its answer is lost", "never arrives", "409 that names another's job"] },
  },
  { name: "a job that fails", commands: [up, up], ends: everyEnd, budget: { end: 1 }, platform: { failing: [1] } },
  {
    name: "updates of which the engine makes replacements",
    commands: [up, up, up],
    ends: everyEnd,
    budget: { end: 2 },
    engine: { replacesOnChanges: true },
    short: { ends: fewEnds },
  },
  {
    name: "a checkpoint that is refused",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    engine: { checkpointMayFail: true },
  },
  {
    name: "a backend that is written at the end",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 2 },
    engine: { savesAtTheEnd: true },
    short: { ends: fewEnds },
  },
  {
    name: "inputs that change, and come back",
    commands: [triggered("1"), triggered("2"), triggered("1")],
    ends: fewEnds,
    budget: { end: 1 },
    short: { ends: ["kill"] },
  },
  {
    name: "inputs of a message that change, and come back, with a bucket",
    commands: [triggered("1"), triggered("2"), triggered("1")],
    program: [message],
    ends: fewEnds,
    budget: { end: 1 },
    store: { isRemote: true },
    short: { ends: ["kill"] },
  },
  { name: "replacements", commands: [up, replace, up, replace], ends: everyEnd, budget: { end: 1 } },
  {
    name: "replacements with a bucket",
    commands: [up, replace, up, replace],
    ends: everyEnd,
    budget: { end: 1 },
    store: { isRemote: true },
  },
  {
    name: "replacements where the state cannot be asked",
    commands: [up, replace, replace],
    ends: everyEnd,
    budget: { end: 1 },
    engine: { canExport: false },
  },
  {
    name: "destroy and up",
    commands: [up, destroy, up],
    ends: everyEnd,
    budget: { end: 2 },
    short: { ends: fewEnds },
  },
  {
    name: "destroy and up with a bucket",
    commands: [up, destroy, up],
    ends: everyEnd,
    budget: { end: 2 },
    store: { isRemote: true },
    short: { budget: { end: 1 } },
  },
  {
    name: "processes without an engine beside the next run",
    commands: [up, up],
    ends: ["engine dies"],
    budget: { end: 1, turn: 3 },
    interleaves: true,
    short: { budget: { end: 1, turn: 2 } },
  },
  {
    name: "two engines at once",
    commands: [up],
    budget: { turn: 4 },
    interleaves: true,
    twoEngines: true,
    short: { budget: { turn: 3 } },
  },
  {
    name: "a job that is not found yet, or vanishes",
    commands: [up, refresh, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    platform: { lookFaults: ["not found yet", "vanishes"] },
  },
  {
    name: "refreshes",
    commands: [up, refresh, { ...up, refreshes: true }, replace],
    ends: everyEnd,
    budget: { end: 2 },
    short: { budget: { end: 1 } },
  },
  {
    name: "an export with its link, and a message",
    commands: [up, up],
    program: [site, link, message],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    platform: { startFaults: ["its answer is lost", "503"] },
    short: { ends: fewEnds },
  },
  {
    name: "an export with its link, and a message, replaced, destroyed and made again",
    commands: [up, replace, { kind: "destroy" }, up],
    program: [site, link, message],
    ends: everyEnd,
    budget: { end: 1 },
    short: { ends: fewEnds },
  },
  {
    name: "three exports at once",
    commands: [up, up],
    program: [site, another, third],
    ends: everyEnd,
    budget: { end: 1, turn: 1 },
    interleaves: true,
    short: { ends: fewEnds, budget: { end: 1 } },
  },
  {
    name: "targets",
    commands: [
      { ...up, targets: ["another"] },
      { ...up, targets: ["site"], replace: ["site"] },
      { kind: "destroy", targets: ["another"] },
      up,
    ],
    program: [site, another],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "retained, and deleted with another",
    commands: [up, replace, { kind: "destroy" }, up],
    program: [site, { ...another, deletedWith: "site" }, { ...third, retained: true }],
    ends: everyEnd,
    budget: { end: 1 },
    short: { ends: fewEnds, program: [site, { ...third, retained: true }] },
  },
  {
    name: "a bucket that is slow, or goes",
    commands: [up, replace],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { isRemote: true, isSlow: true, goes: true },
    short: { ends: fewEnds },
  },
  {
    name: "another machine, with a bucket",
    commands: [up, elsewhere, up],
    ends: everyEnd,
    budget: { end: 2, turn: 1 },
    store: { isRemote: true },
    interleaves: true,
    short: { budget: { end: 1, turn: 1 } },
  },
  {
    name: "a journal that may fail, where it is not required",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { fails: true, goes: true },
    engine: { journalIsOptional: true },
    short: { ends: fewEnds },
  },
  {
    name: "two engines at once, one of which is killed",
    commands: [up, up],
    ends: ["kill", "engine dies"],
    budget: { end: 1, turn: 2 },
    engine: { savesAtTheEnd: true },
    interleaves: true,
    twoEngines: true,
    short: { budget: { end: 1, turn: 1 } },
  },
];

/** Mirrors at one kind of place, each with every end and one fault. */
function mirrorsIn(place: typeof folder | typeof bucket, layout: "archive" | "site"): Script[] {
  const one = mirror(place, layout, layout === "site" ? { allowExisting: true } : {});
  const where = `${layout === "site" ? "a site" : "an archive"} in a ${place === folder ? "folder" : "bucket"}`;
  const usual = { program: [one], ends: everyEnd, budget: { end: 1 }, destination: { others: [others[place]] } };
  const isLong = layout === "site" || place === bucket;
  return [
    {
      ...usual,
      name: `${where}, of another job and destroyed`,
      commands: [up, otherJob, destroy, destroy],
      short: { ends: isLong ? ["kill"] : fewEnds },
    },
    {
      ...usual,
      name: `${where}, replaced and refreshed`,
      commands: [up, replaceMirror, refresh, up],
      short: { ends: isLong ? ["kill"] : fewEnds },
    },
    {
      ...usual,
      name: `${where}, packed anew each time`,
      ...(place === bucket && { slow: true }),
      commands: [up, replaceMirror, replaceMirror, destroy],
      ends: [],
      budget: { fault: 1 },
      destination: { others: [others[place]], packsAnew: true, fails: true, breaksOff: true },
    },
    {
      ...usual,
      name: `${where}, with a fault`,
      // With one fault a folder and a bucket come to the same states.
      ...(place === bucket && { slow: true as const }),
      commands: [up, otherJob, up, destroy, destroy],
      budget: { fault: 1 },
      destination: { others: [others[place]], fails: true, losesAnswers: true, breaksOff: true },
    },
    {
      ...usual,
      name: `${where}, with an end and a fault`,
      slow: true,
      commands: [up, otherJob, destroy, destroy],
      budget: { end: 1, fault: 1 },
      destination: { others: [others[place]], fails: true, losesAnswers: true, breaksOff: true },
    },
    {
      ...usual,
      name: `${where}, with a second mirror of the same`,
      program: [one, second(one)],
      commands: [
        { ...up, targets: ["mirror"] },
        { ...up, targets: ["second"] },
        { kind: "destroy", targets: ["mirror"] },
        destroy,
      ],
      short: { ends: ["kill"] },
    },
    {
      ...usual,
      name: `${where}, with a second mirror at the same time`,
      program: [one, second(one)],
      commands: [up, { kind: "destroy", targets: ["second"] }, up, destroy],
      // A process whose engine is gone works beside the next one: between processes nothing keeps archives apart.
      ends: ["kill"],
    },
  ];
}

/** Copies of bundles. */
export const mirrorScripts: readonly Script[] = [...mirrorsIn(folder, "archive"), ...mirrorsIn(bucket, "archive")];

/** A site is verified in a real file, which takes a while. */
export const siteScripts: readonly Script[] = [...mirrorsIn(folder, "site"), ...mirrorsIn(bucket, "site")];

/** The long forms of the scripts. */
export const longScripts: readonly Script[] = [
  { name: "four runs, three ends", commands: [up, up, up, up], ends: everyEnd, budget: { end: 3 } },
  {
    name: "three runs, two ends, a fault of store or platform",
    commands: [up, up, up],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    store: { fails: true, losesAnswers: true },
    platform: { startFaults, lookFaults: ["403"] },
  },
  {
    name: "replacements, two ends, a fault",
    commands: [up, replace, up, replace],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    platform: { startFaults },
    engine: { checkpointMayFail: true },
  },
  {
    name: "two processes without an engine beside the next run",
    commands: [up, up, up],
    ends: ["engine dies"],
    budget: { end: 2, turn: 3 },
    interleaves: true,
  },
  {
    name: "two engines at once, and more turns",
    commands: [up],
    budget: { turn: 7 },
    interleaves: true,
    twoEngines: true,
  },
];

/** These have too many schedules, so some are drawn. */
export const drawnScripts: readonly Script[] = [
  {
    name: "three runs of five resources, where all may go wrong",
    commands: [up, replace, up],
    program: [site, another, third, link, message],
    ends: everyEnd,
    budget: { end: 2, fault: 3, turn: 6 },
    interleaves: true,
    platform: { startFaults, lookFaults: ["403", "not found yet", "vanishes"] },
    store: { fails: true, losesAnswers: true, isSlow: true },
    engine: { checkpointMayFail: true },
  },
  {
    name: "a week of commands, on two machines with a bucket",
    commands: [up, refresh, elsewhere, replace, { kind: "destroy", targets: ["another"] }, up, destroy, elsewhere],
    program: [site, another, link, message],
    ends: everyEnd,
    budget: { end: 3, fault: 2, turn: 4 },
    interleaves: true,
    platform: { startFaults },
    store: { isRemote: true, losesAnswers: true, isSlow: true },
  },
  {
    name: "an engine that retries by updates, and saves at the end",
    commands: [up, replace, refresh, up],
    program: [site, another, message],
    ends: everyEnd,
    budget: { end: 3, fault: 3 },
    platform: { startFaults, lookFaults: ["403", "not found yet"], failing: [2] },
    engine: { retriesByUpdate: true, savesAtTheEnd: true },
  },
];
