import { bool, nullOf, type Type, textValue, unknownOf } from "../support/terraform/cty";
import type { TypedBlock } from "../support/terraform/rules";
import { outerEnds as everyEnd } from "./pulumi";
import { addressOf, type TerraformCommand } from "./terraform";
import type { TerraformScript } from "./terraformStory";

const [first, second] = [addressOf(1), addressOf(2)];
const apply: TerraformCommand = { kind: "apply" };
const inOrder: TerraformCommand = { kind: "apply", createFirst: true };
const unread: TerraformCommand = { kind: "apply", refresh: false };
const replace: TerraformCommand = { kind: "apply", of: [first] };
const replaceInOrder: TerraformCommand = { ...inOrder, of: [first] };
const taint: TerraformCommand = { kind: "taint", of: [first] };
const untaint: TerraformCommand = { kind: "untaint", of: [first] };
const destroy: TerraformCommand = { kind: "destroy" };
const two: TerraformCommand = { kind: "apply", equal: 2 };
const three: TerraformCommand = { kind: "apply", equal: 3 };
const four: TerraformCommand = { kind: "apply", equal: 4 };
const nine: TerraformCommand = { kind: "apply", equal: 9 };
const twelve: TerraformCommand = { kind: "apply", equal: 12 };
const other = { state: "other" };
const refused = { lookFaults: ["403"] } as const;
const of = (type: string, config: TypedBlock, more = {}) => ({
  [addressOf(1, type)]: { type, config, createFirst: false, ...more },
});
const triggered = (value: string, more = {}): TerraformCommand => ({
  kind: "apply",
  declared: of("docsplatform_static_export", { domain: textValue("a.test"), triggers: textValue(value) }, more),
});
const prompted = (prompt: string): TerraformCommand => ({
  kind: "apply",
  declared: of("docsplatform_agent_message", { job_id: textValue("agent-1"), prompt: textValue(prompt) }),
});
const firstMessage = addressOf(1, "docsplatform_agent_message");
const twoMessages = (more: object): TerraformCommand => ({
  kind: "apply",
  declared: Object.fromEntries(
    [1, 2].map((number) => [
      addressOf(number, "docsplatform_agent_message"),
      {
        type: "docsplatform_agent_message",
        config: { job_id: textValue("agent-1"), prompt: textValue("A"), project_id: textValue("docs") },
        createFirst: false,
        ...more,
      },
    ]),
  ),
});
const twoPrompted = twoMessages({});
const twoUnknown = twoMessages({ early: { project_id: unknownOf("string") } });
const ofNull = (type: Type): TerraformCommand => ({
  kind: "apply",
  declared: of("docsplatform_static_export", { domain: textValue("a.test"), triggers: nullOf(type) }),
});
/** Two exports of different triggers. Those of the second are not known to a plan. */
const besideUnknown: TerraformCommand = {
  kind: "apply",
  declared: Object.fromEntries(
    [first, second].map((address, index) => [
      address,
      {
        type: "docsplatform_static_export",
        config: { domain: textValue("a.test"), triggers: textValue(address) },
        createFirst: false,
        ...(index === 1 && { early: { triggers: unknownOf("string") } }),
      },
    ]),
  ),
};
const linked = (renewed: string, verified: boolean): TerraformCommand => ({
  kind: "apply",
  declared: of(
    "docsplatform_export_bundle",
    { job_id: textValue("theirs-1"), renew_before: textValue(renewed), verify_link: bool(verified) },
    { ignore: ["renew_before"] },
  ),
});
const mirrored = (job: string): TerraformCommand => ({
  kind: "apply",
  declared: of("docsplatform_bundle_mirror", { job_id: textValue(job), destination: textValue("file:///mirrors") }),
});
const adopting: TerraformCommand = { ...apply, adopts: { [first]: "theirs-1" } };
const createFirst = { createFirst: true } as const;
const startFaults = ["its answer is lost", "never arrives", "503", "429", "409"] as const;

/** A create fails, or is cut off: the next create of the same request continues its work, and no other create does. */
const failedCreates: readonly TerraformScript[] = [
  {
    name: "inputs that change, and come back",
    commands: [triggered("1"), triggered("2"), triggered("1")],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "inputs that change, and come back after a destroy",
    commands: [triggered("1"), triggered("2"), destroy, triggered("1")],
    budget: { fault: 1 },
    platform: refused,
  },
  {
    name: "inputs of a killed run that change, and come back",
    commands: [triggered("1"), triggered("2"), triggered("1")],
    ends: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "inputs that change, and come back, and what is new comes first",
    commands: [triggered("1", createFirst), triggered("2", createFirst), triggered("1", createFirst)],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "a message that changes, and comes back",
    commands: [prompted("A"), prompted("B"), prompted("A")],
    budget: { fault: 2 },
    platform: { startFaults: ["its answer is lost"] },
  },
  {
    name: "a message of a killed run that changes, and comes back",
    slow: true,
    commands: [prompted("A"), prompted("B"), prompted("A")],
    ends: ["kill"],
    budget: { end: 1, fault: 1 },
    platform: { startFaults: ["its answer is lost"] },
  },
  {
    name: "a message that a killed run may have sent, and an untaint",
    commands: [prompted("A"), prompted("A"), { kind: "untaint", of: [firstMessage] }, prompted("A")],
    ends: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "equal messages of a provider without its Terraform, and a taint of one",
    slow: true,
    commands: [
      twoPrompted,
      { ...twoPrompted, target: [firstMessage] },
      { kind: "taint", of: [firstMessage] },
      twoPrompted,
    ],
    ends: ["engine dies"],
    budget: { end: 1 },
    interleaves: true,
  },
  {
    name: "equal messages, one of them in doubt, and inputs that the plan does not know",
    commands: [twoUnknown, { ...twoUnknown, target: [firstMessage] }, twoUnknown],
    budget: { fault: 1 },
    platform: { startFaults: ["its answer is lost"] },
    interleaves: true,
  },
  {
    name: "inputs that are null, of one type and another",
    commands: [ofNull("string"), ofNull("bool"), ofNull("string")],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "a new export beside one with inputs that the plan does not know",
    slow: true,
    commands: [besideUnknown, { ...besideUnknown, target: [second] }, besideUnknown],
    ends: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "a message, planned on one machine, and applied on another",
    commands: [
      prompted("A"),
      { ...prompted("A"), kind: "plan", journal: "another" },
      { kind: "apply the plan", journal: "a third" },
    ],
    budget: { fault: 2 },
    platform: { startFaults: ["its answer is lost"] },
  },
  {
    name: "an adoption, and none",
    commands: [apply, adopting, apply, replace],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "an adoption, and none, and what is new comes first",
    commands: [inOrder, { ...adopting, ...createFirst }, inOrder, replaceInOrder],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "an adoption that is taken back, and what is new comes first",
    commands: [{ ...adopting, ...createFirst }, inOrder, replaceInOrder],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "an adoption that is tainted, and taken back",
    commands: [adopting, taint, adopting, apply],
    ends: ["Ctrl-C twice"],
    budget: { end: 1 },
  },
  {
    name: "an adoption of a job that fails, and none",
    commands: [adopting, apply],
    budget: { fault: 1 },
    platform: { ...refused, othersFail: true },
  },
  {
    name: "an import after a kill",
    commands: [apply, { ...apply, blocks: { imports: { [first]: "job-1" } } }, replace],
    ends: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "an import after a kill, for another export",
    commands: [apply, { ...two, blocks: { imports: { [second]: "job-1" } } }, two],
    ends: ["kill"],
    budget: { end: 1, turn: 1 },
    interleaves: true,
  },
  {
    name: "an import of a job that another export has, and a killed replacement",
    commands: [
      inOrder,
      { ...inOrder, equal: 2, refresh: "only", blocks: { imports: { [second]: "job-1" } } },
      { ...inOrder, equal: 2, refresh: false, of: [second] },
      { ...inOrder, equal: 2 },
    ],
    ends: ["kill"],
    budget: { end: 1 },
  },
  {
    name: "an import of a job that another export has, beside lost starts",
    commands: [apply, three, { ...four, blocks: { imports: { [addressOf(4)]: "job-1" } } }, four],
    ends: ["kill"],
    budget: { end: 1 },
    interleaves: true,
  },
  {
    name: "a taint of a cancelled wait, or of one that failed",
    slow: true,
    commands: [apply, taint, apply],
    ends: ["Ctrl-C"],
    budget: { end: 1, fault: 1 },
    platform: refused,
  },
  {
    name: "a create that failed, and is read by nobody, and what is new comes first",
    commands: [inOrder, { ...inOrder, refresh: false }, inOrder],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "a plan of another machine",
    commands: [
      apply,
      { kind: "plan", journal: "another" },
      apply,
      replaceInOrder,
      { ...replaceInOrder, journal: "another" },
    ],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "a plan that is saved on one machine, and applied on another",
    commands: [apply, { kind: "plan", journal: "another" }, { kind: "apply the plan", journal: "a third" }],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "a journal that does not work",
    commands: [
      { ...apply, journal: "none" },
      { ...unread, journal: "none" },
      { ...apply, journal: "none" },
    ],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "one that is new, created alone, beside one that was cancelled",
    commands: [apply, { ...two, target: [addressOf(2)] }, two],
    ends: ["Ctrl-C"],
    budget: { end: 1 },
  },
  {
    name: "a create that failed, whose provider outlives its Terraform",
    slow: true,
    commands: [apply, apply],
    ends: ["engine dies", "Ctrl-C"],
    budget: { end: 2, fault: 1 },
    platform: refused,
  },
  {
    name: "one that is new, beside one that failed, and what is new comes first",
    commands: [inOrder, { ...two, ...createFirst }, { ...two, ...createFirst }],
    budget: { fault: 2 },
    platform: refused,
  },
  {
    name: "one that is new, and is read by nobody, beside one that was cancelled or killed",
    slow: true,
    commands: [apply, apply, { ...two, refresh: false }, two],
    ends: ["Ctrl-C", "kill"],
    budget: { end: 2 },
  },
  {
    name: "one that is new, created alone, beside one that failed",
    commands: [apply, { ...two, target: [addressOf(2)] }, two],
    budget: { fault: 1 },
    platform: refused,
  },
];

/** Scripts with one end and one fault, whose schedules are all explored in seconds. */
export const terraformScripts: readonly TerraformScript[] = [
  ...failedCreates,
  { name: "a taint", commands: [apply, taint, apply, apply], ends: everyEnd, budget: { end: 1 } },
  {
    name: "a taint, with a bucket",
    commands: [apply, taint, apply],
    ends: everyEnd,
    budget: { end: 1 },
    store: { isRemote: true },
  },
  {
    name: "a link that is updated, where one of two changes is ignored",
    commands: [linked("10m", false), linked("20m", true)],
    ends: ["kill"],
    budget: { end: 1 },
  },
  { name: "two equal exports", commands: [two, two], ends: everyEnd, budget: { end: 1 } },
  { name: "two applies", commands: [apply, apply], ends: everyEnd, budget: { end: 1 } },
  { name: "a taint that is read by nobody", commands: [apply, taint, unread], ends: everyEnd, budget: { end: 1 } },
  {
    name: "a taint, and what is new comes first",
    slow: true,
    commands: [inOrder, taint, inOrder],
    ends: everyEnd,
    budget: { end: 1 },
  },
  { name: "a taint that is taken back", commands: [apply, taint, untaint, apply], ends: everyEnd, budget: { end: 1 } },
  {
    name: "replacements",
    slow: true,
    commands: [apply, replace, apply, replace],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "replacements where what is new comes first",
    slow: true,
    commands: [inOrder, replaceInOrder, inOrder],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "a refused look, and a taint of Terraform's own",
    slow: true,
    commands: [apply, apply],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    platform: { lookFaults: ["403"] },
  },
  {
    name: "answers of the platform that are lost or no",
    slow: true,
    commands: [apply, apply],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    platform: { startFaults },
  },
  {
    name: "a taint of what is under way",
    slow: true,
    commands: [apply, apply, taint, apply],
    ends: ["Ctrl-C", "kill"],
    budget: { end: 1, fault: 1 },
    platform: { lookFaults: ["403"] },
  },
  {
    name: "a taint of what is under way, and what is new comes first",
    slow: true,
    commands: [inOrder, inOrder, taint, inOrder],
    ends: ["Ctrl-C", "kill"],
    budget: { end: 1, fault: 1 },
    platform: { lookFaults: ["403"] },
  },
  {
    name: "a job that fails",
    commands: [apply, apply],
    ends: everyEnd,
    budget: { end: 1 },
    platform: { failing: [1] },
  },
  {
    name: "a job that vanishes, and its replacement, planned on another machine, comes first",
    slow: true,
    commands: [inOrder, { ...replaceInOrder, kind: "plan", journal: "another" }, { kind: "apply the plan" }, inOrder],
    ends: ["engine dies"],
    budget: { end: 1, fault: 1 },
    store: { isRemote: true },
    platform: { lookFaults: ["vanishes"] },
  },
  {
    name: "an archive of another job, with a step that fails",
    commands: [mirrored("theirs-1"), mirrored("theirs-2")],
    budget: { fault: 1 },
    destination: { fails: true },
  },
  {
    name: "a failed job without a taint, where all changes are ignored",
    commands: [triggered("1", { ignore: "all" }), untaint, triggered("1", { ignore: "all" })],
    ends: ["Ctrl-C"],
    budget: { end: 1 },
    platform: { failing: [1] },
  },
  {
    name: "two equal exports, and one of another state at once",
    slow: true,
    commands: [two, { ...apply, ...other }],
    budget: { turn: 2 },
    platform: { runningLooks: 0 },
    areBeside: true,
    interleaves: true,
  },
  {
    name: "a store that fails",
    slow: true,
    commands: [apply, apply],
    ends: everyEnd,
    budget: { end: 1, fault: 1 },
    store: { fails: true, losesAnswers: true },
  },
  {
    name: "a lost answer, an adoption, and a replacement",
    commands: [apply, "as told", "as told", apply, replace],
    ends: ["kill"],
    budget: { end: 1, fault: 1 },
    platform: { startFaults: ["its answer is lost", "never arrives"] },
  },
  {
    name: "two lost answers of equal exports, an adoption, and a word",
    commands: [two, "as told", "as told"],
    budget: { fault: 2 },
    platform: { runningLooks: 0, startFaults: ["its answer is lost", "never arrives"] },
  },
  {
    name: "two lost answers of equal exports, an adoption that comes before, and a word",
    slow: true,
    commands: [two, "as told", "as told"],
    budget: { fault: 2, turn: 2 },
    interleaves: true,
    platform: { runningLooks: 0, startFaults: ["its answer is lost", "never arrives"] },
  },
  {
    name: "two lost answers of equal exports, two adoptions, and a third one",
    commands: [two, "as told", three],
    budget: { fault: 2 },
    platform: { runningLooks: 0, startFaults: ["its answer is lost"] },
  },
  {
    name: "two states of one folder",
    commands: [apply, { ...apply, ...other }, apply],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "two states of one folder at once",
    commands: [apply, { ...apply, ...other }],
    budget: { turn: 2 },
    areBeside: true,
    interleaves: true,
  },
  { name: "one export, and then an equal one", commands: [apply, two], ends: everyEnd, budget: { end: 1 } },
  { name: "destroy and apply", commands: [apply, destroy, apply], ends: everyEnd, budget: { end: 1 } },
  {
    name: "a state that is written at the end",
    commands: [apply, replace, apply],
    ends: everyEnd,
    budget: { end: 1 },
    terraform: { savesAtTheEnd: true },
  },
  {
    name: "a plan that is applied later",
    commands: [{ kind: "plan" }, { kind: "apply the plan" }, { kind: "plan", of: [first] }, { kind: "apply the plan" }],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "one scope, and another checkout",
    commands: [
      { ...apply, scope: "a" },
      { ...apply, scope: "a", folder: "/tmp" },
    ],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "two scopes in one folder",
    commands: [
      { ...apply, scope: "a" },
      { ...apply, ...other, scope: "b" },
    ],
    ends: everyEnd,
    budget: { end: 1 },
  },
  {
    name: "a provider without its Terraform beside the next apply",
    commands: [apply, apply],
    ends: ["engine dies"],
    budget: { end: 1, turn: 2 },
    interleaves: true,
  },
  { name: "nine equal exports", slow: true, commands: [nine, nine], ends: ["kill"], budget: { end: 1 } },
];

const afterKills = { ends: ["kill", "engine dies"], budget: { end: 2 } } as const;

/** The long forms of the scripts. */
export const longTerraformScripts: readonly TerraformScript[] = [
  { name: "two applies, two ends", commands: [apply, apply], ends: everyEnd, budget: { end: 2 } },
  { name: "three applies, two ends", commands: [apply, apply, apply], ends: everyEnd, budget: { end: 2 } },
  { name: "a taint, two ends", commands: [apply, taint, apply, apply], ends: everyEnd, budget: { end: 2 } },
  {
    name: "a taint, and what is new comes first, two ends",
    commands: [inOrder, taint, inOrder],
    ends: everyEnd,
    budget: { end: 2 },
  },
  {
    name: "replacements, two ends, a fault",
    commands: [apply, replace, apply, replace],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    platform: { startFaults },
  },
  {
    name: "two applies, two ends, a fault of the store or the platform",
    commands: [apply, apply],
    ends: everyEnd,
    budget: { end: 2, fault: 1 },
    store: { fails: true, losesAnswers: true },
    platform: { startFaults, lookFaults: ["403"] },
  },
  {
    name: "two states of one folder, two ends",
    commands: [apply, { ...apply, ...other }, apply],
    ends: everyEnd,
    budget: { end: 2 },
  },
  { name: "two equal exports, killed twice", commands: [two, two, two], ...afterKills },
  {
    name: "two equal exports, and the order of their steps",
    commands: [two, two],
    ends: ["kill"],
    budget: { end: 1, turn: 2 },
    interleaves: true,
  },
  { name: "twelve equal exports", commands: [twelve, twelve], ends: everyEnd, budget: { end: 1 } },
  { name: "destroy and apply, two ends", commands: [apply, destroy, apply], ends: everyEnd, budget: { end: 2 } },
  {
    name: "a plan that is applied later, two ends",
    commands: [
      { kind: "plan" },
      { kind: "apply the plan" },
      { kind: "plan", of: [first] },
      { kind: "apply the plan" },
      apply,
    ],
    ends: everyEnd,
    budget: { end: 2 },
  },
  {
    name: "two states of one folder at once, and more turns",
    commands: [apply, { ...apply, ...other }],
    budget: { turn: 3 },
    areBeside: true,
    interleaves: true,
  },
  {
    name: "a provider without its Terraform beside the next apply, and more turns",
    commands: [apply, apply],
    ends: ["engine dies"],
    budget: { end: 1, turn: 3 },
    interleaves: true,
  },
  {
    name: "a state that is written at the end, and a job of a killed run",
    commands: [apply, apply, apply],
    ends: ["provider dies", "engine dies"],
    budget: { end: 2, turn: 1 },
    interleaves: true,
    terraform: { savesAtTheEnd: true },
  },
  {
    name: "two providers without their Terraform beside the next apply",
    commands: [apply, apply, apply],
    ends: ["engine dies"],
    budget: { end: 2, turn: 2 },
    interleaves: true,
  },
];
