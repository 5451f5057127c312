import type { Command } from "./pulumi";
import { everyEnd } from "./pulumi";
import type { Script } from "./story";

const up: Command = { kind: "up" };
const replace: Command = { kind: "up", replace: true };
const destroy: Command = { kind: "destroy" };
const startFaults = ["its answer is lost", "never arrives", "503", "429", "409"] as const;

/** Two runs with every end and one fault, and three with every end: in seconds, all schedules that there are. */
export const scripts: readonly Script[] = [
  { name: "two runs, two ends", commands: [up, up], ends: everyEnd, budget: { end: 2 } },
  { name: "three runs, two ends", commands: [up, up, up], ends: everyEnd, budget: { end: 2 } },
  {
    name: "a create that is retried by an update in the same step",
    commands: [up, up],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    platform: { refusesLooks: true },
    engine: { retriesByUpdate: true },
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
  { name: "a job that fails", commands: [up, up], ends: everyEnd, budget: { end: 1 }, platform: { failing: [1] } },
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
  { name: "destroy and up", commands: [up, destroy, up], ends: everyEnd, budget: { end: 2 } },
  {
    name: "destroy and up with a bucket",
    commands: [up, destroy, up],
    ends: everyEnd,
    budget: { end: 2 },
    store: { isRemote: true },
  },
  {
    name: "processes without an engine beside the next run",
    commands: [up, up],
    ends: ["engine dies"],
    budget: { end: 1, turn: 3 },
    interleaves: true,
  },
  {
    name: "two engines at once",
    commands: [up],
    budget: { turn: 4 },
    interleaves: true,
    twoEngines: true,
  },
];

/** The long forms. */
export const longScripts: readonly Script[] = [
  { name: "four runs, three ends", commands: [up, up, up, up], ends: everyEnd, budget: { end: 3 } },
  {
    name: "three runs, two ends, a fault of store or platform",
    commands: [up, up, up],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    store: { fails: true, losesAnswers: true },
    platform: { startFaults, refusesLooks: true },
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
