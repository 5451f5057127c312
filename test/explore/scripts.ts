import { everyStop } from "./machine";
import type { Command, DeclaredResource } from "./program";
import type { Script } from "./story";

const up: Command = { kind: "up" };
const replace: Command = { kind: "up", replace: ["site", "another", "message"] };
const destroy: Command = { kind: "destroy" };
const refresh: Command = { kind: "refresh" };
const startFaults = [
  "its answer is lost",
  "never arrives",
  "arrives after the run",
  "503",
  "429",
  "409",
  "409 that names another's job",
] as const;

const site: DeclaredResource = { name: "site", kind: "StaticExport" };
const link: DeclaredResource = { name: "link", kind: "ExportBundle", of: "site" };
const message: DeclaredResource = { name: "message", kind: "AgentMessage" };
const another: DeclaredResource = { name: "another", kind: "StaticExport" };

/** An `up` with these triggers for the export and the message. */
const triggered = (triggers: string): Command => ({
  kind: "up",
  inputs: { site: { triggers }, message: { triggers } },
});

const bucketStore = { isRemote: true } as const;
/** One run of a schedule may be ended, in any way and at any step. */
const once = { stops: everyStop, budget: { end: 1 } } as const;
/** One run of a schedule may be ended, and one fault may occur. */
const onceWithFault = { stops: everyStop, budget: { end: 1, fault: 1 } } as const;

export const scripts: readonly Script[] = [
  { name: "two runs", commands: [up, up], ...once },
  {
    name: "a create that is retried by an update in the same step",
    commands: [up, up],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 2, fault: 1 },
    slow: true,
    platform: { lookFaults: ["403"] },
    engine: { retriesByUpdate: true },
  },
  {
    name: "creates that error hooks call again, without a journal",
    commands: [up],
    program: [site, message],
    budget: { fault: 2 },
    platform: { startFaults: ["its answer is lost", "never arrives", "503"], lookFaults: ["403"] },
    store: { goes: true },
    engine: { retriesByCreate: true, needsNoJournal: true },
  },
  {
    name: "a message that is retried in the same way",
    commands: [up, up],
    program: [message],
    stops: ["kill"],
    budget: { end: 2 },
    engine: { retriesByUpdate: true },
  },
  {
    name: "a store that fails, or stores and answers 503",
    commands: [up, up],
    ...onceWithFault,
    slow: true,
    store: { fails: true, losesAnswers: true },
  },
  {
    name: "a required journal that stores an entry, and answers 503",
    commands: [up, up],
    budget: { fault: 1 },
    store: { losesAnswers: true },
  },
  {
    name: "a bucket whose lists are late, and that may go",
    commands: [up, up],
    ...onceWithFault,
    slow: true,
    store: { listsLate: true, isRemote: true, goes: true },
  },
  {
    name: "answers of the platform that are lost or no",
    commands: [up, up],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 1, fault: 1 },
    platform: { startFaults },
  },
  {
    name: "a lost answer, and a foreign job in the way",
    commands: [up, up],
    budget: { fault: 2 },
    platform: { startFaults: ["its answer is lost", "never arrives", "409 that names another's job"] },
  },
  {
    name: "a power cut that tears an entry",
    commands: [up, up],
    stops: ["kill"],
    budget: { end: 1, fault: 1 },
    store: { tears: true },
  },
  { name: "a job that fails", commands: [up, up], ...once, platform: { failing: [1] } },
  {
    name: "updates of which the engine makes replacements",
    slow: true,
    commands: [up, up, up],
    ...once,
    engine: { replacesOnChanges: true },
  },
  { name: "a backend that is written at the end", commands: [up, up], ...once, engine: { savesAtTheEnd: true } },
  {
    name: "inputs of a message that change, and come back, with a bucket",
    commands: [triggered("1"), triggered("2"), triggered("1")],
    program: [message],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 1 },
    store: bucketStore,
  },
  { name: "replacements", commands: [up, replace, up, replace], ...once },
  { name: "replacements with a bucket", commands: [up, replace, up, replace], ...once, store: bucketStore, slow: true },
  {
    name: "replacements where the state cannot be asked",
    slow: true,
    commands: [up, replace, replace],
    ...once,
    engine: { canExport: false },
  },
  { name: "destroy and up", commands: [up, destroy, up], ...once },
  {
    name: "a retained export, destroyed and made again",
    commands: [up, destroy, up],
    program: [{ ...site, retained: true }],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 1 },
  },
  {
    name: "processes without an engine beside the next run",
    commands: [up, up],
    stops: ["engine dies"],
    budget: { end: 1, turn: 2 },
    interleaves: true,
  },
  {
    name: "a job that is not found yet, or vanishes, and refreshes",
    commands: [up, refresh, { ...up, refreshes: true }],
    ...onceWithFault,
    slow: true,
    platform: { lookFaults: ["not found yet", "vanishes"] },
  },
  {
    name: "an export with its link, a message and a retained export, replaced, destroyed and made again",
    commands: [up, replace, destroy, up],
    program: [site, link, message, { ...another, retained: true }],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 1 },
    slow: true,
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
    ...once,
    slow: true,
  },
  {
    name: "another machine, with a bucket",
    commands: [up, { kind: "up", elsewhere: true }, up],
    ...once,
    budget: { end: 1, turn: 1 },
    store: bucketStore,
    interleaves: true,
  },
];
