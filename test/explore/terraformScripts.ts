import { everyStop as allEnds, outerStops } from "./machine";
import { addressOf, type TerraformCommand } from "./terraform";
import type { TerraformScript } from "./terraformStory";

const [first, second] = [addressOf(1), addressOf(2)];
const apply: TerraformCommand = { kind: "apply" };
const inOrder: TerraformCommand = { kind: "apply", createFirst: true };
const replace: TerraformCommand = { kind: "apply", of: [first] };
const taint: TerraformCommand = { kind: "taint", of: [first] };
const destroy: TerraformCommand = { kind: "destroy" };
const message: TerraformCommand = { kind: "apply", areMessages: true };
const equal = (count: number): TerraformCommand => ({ kind: "apply", equal: count });
const triggered = (triggers: string): TerraformCommand => ({ kind: "apply", triggers });
const other: TerraformCommand = { ...apply, state: "other" };
const bucket = { isRemote: true } as const;
const once = { stops: outerStops, budget: { end: 1 } } as const;
/** A remote backend. Terraform may be killed before it saves the state. The backend may also refuse the state. */
const remote = {
  stops: outerStops,
  budget: { end: 1, fault: 1 },
  terraform: { isRemote: true, refuses: true },
} as const;

/** Each script allows only a few disturbances, so the explorer can play all schedules of the script. */
export const terraformScripts: readonly TerraformScript[] = [
  { name: "two applies", commands: [apply, apply], stops: allEnds, budget: { end: 1 } },
  { name: "two messages", commands: [message, message], ...once },
  { name: "two equal exports", commands: [equal(2), equal(2)], ...once },
  { name: "a taint", commands: [apply, taint, apply, apply], ...once },
  { name: "a taint that is read by nobody", commands: [apply, taint, { ...apply, refresh: false }], ...once },
  { name: "replacements", slow: true, commands: [apply, replace, apply, replace], ...once },
  {
    name: "replacements where what is new comes first",
    slow: true,
    commands: [inOrder, { ...inOrder, of: [first] }, inOrder],
    ...once,
  },
  {
    name: "inputs that change, and come back",
    slow: true,
    commands: [triggered("1"), triggered("2"), triggered("1")],
    stops: ["kill", "Ctrl-C"],
    budget: { end: 1 },
  },
  { name: "destroy and apply", commands: [apply, destroy, apply], ...once },
  {
    name: "waits that end early, and a taint",
    slow: true,
    commands: [apply, apply, taint, apply],
    stops: ["Ctrl-C", "kill"],
    budget: { end: 1, fault: 1 },
    platform: { lookFaults: ["403"] },
  },
  {
    name: "a message whose answer was lost",
    commands: [message, message],
    budget: { fault: 1 },
    platform: { startFaults: ["its answer is lost"] },
  },
  {
    name: "a power cut that tears an entry",
    commands: [equal(2), equal(2)],
    budget: { fault: 1 },
    store: { tears: true },
  },
  { name: "a job that fails", commands: [apply, apply], ...once, platform: { failing: [1] } },
  {
    name: "a job that vanishes, and whose replacement comes first, with a bucket",
    slow: true,
    commands: [inOrder, { ...inOrder, of: [first] }, inOrder],
    stops: ["kill", "engine dies"],
    budget: { end: 1, fault: 1 },
    store: bucket,
    platform: { lookFaults: ["vanishes"] },
  },
  {
    name: "a lost answer, an adoption, and a replacement",
    slow: true,
    commands: [apply, "as told", "as told", apply, replace],
    stops: ["kill"],
    budget: { end: 1, fault: 1 },
    platform: { startFaults: ["its answer is lost", "never arrives"] },
  },
  {
    name: "two lost answers of equal exports, an adoption, and a word",
    commands: [equal(2), "as told", "as told"],
    slow: true,
    budget: { fault: 2, turn: 2 },
    interleaves: true,
    platform: { runningPolls: 0, startFaults: ["its answer is lost", "never arrives"] },
  },
  {
    name: "two lost answers of equal exports, two adoptions, and a third one",
    commands: [equal(2), "as told", equal(3)],
    budget: { fault: 2 },
    platform: { runningPolls: 0, startFaults: ["its answer is lost"] },
  },
  {
    name: "an import after a kill",
    commands: [apply, { ...apply, imports: { [first]: "job-1" } }, apply],
    stops: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "an adoption of one of two jobs whose answers were lost",
    commands: [
      equal(2),
      { ...equal(2), target: [first], adopts: { [first]: "job-1" } },
      { ...equal(2), adopts: { [first]: "job-1" } },
    ],
    budget: { fault: 2 },
    platform: { runningPolls: 0, startFaults: ["its answer is lost"] },
  },
  { name: "two states of one folder", slow: true, commands: [apply, other, apply], ...once },
  {
    name: "two equal exports, and one of another state at once",
    slow: true,
    commands: [equal(2), other],
    budget: { turn: 2 },
    platform: { runningPolls: 0 },
    areBeside: true,
    interleaves: true,
  },
  {
    name: "a new one beside a cancelled one",
    commands: [apply, { ...equal(2), target: [second] }, equal(2)],
    stops: ["Ctrl-C"],
    budget: { end: 1 },
  },
  { name: "two applies on a remote backend", commands: [apply, apply], ...remote },
  { name: "two messages on a remote backend", commands: [message, message], ...remote },
  { name: "two equal exports on a remote backend", slow: true, commands: [equal(2), equal(2)], ...remote },
  {
    name: "replacements on a remote backend, with a bucket",
    slow: true,
    commands: [apply, replace, apply, replace],
    ...remote,
    store: bucket,
  },
  {
    name: "replacements on a remote backend where what is new comes first",
    slow: true,
    commands: [inOrder, { ...inOrder, of: [first] }, inOrder],
    ...remote,
  },
  { name: "a taint on a remote backend", slow: true, commands: [apply, taint, apply, apply], ...remote },
  { name: "destroy and apply on a remote backend", slow: true, commands: [apply, destroy, apply], ...remote },
  {
    name: "a plan that is applied later",
    slow: true,
    commands: [{ kind: "plan" }, { kind: "apply the plan" }, { kind: "plan", of: [first] }, { kind: "apply the plan" }],
    ...once,
  },
  {
    name: "one scope, and another checkout",
    slow: true,
    commands: [
      { ...apply, scope: "a" },
      { ...apply, scope: "a", folder: "/tmp" },
    ],
    ...once,
  },
  {
    name: "two scopes in one folder",
    slow: true,
    commands: [
      { ...apply, scope: "a" },
      { ...other, scope: "b" },
    ],
    ...once,
  },
  {
    name: "a provider without its Terraform beside the next apply",
    slow: true,
    commands: [apply, apply],
    stops: ["engine dies"],
    budget: { end: 1, turn: 2 },
    interleaves: true,
  },
  { name: "one more equal export, with a bucket", commands: [apply, equal(2)], ...once, store: bucket },
  { name: "nine equal exports", slow: true, commands: [equal(9), equal(9)], stops: ["kill"], budget: { end: 1 } },
];
