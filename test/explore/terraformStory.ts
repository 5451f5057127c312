import type { BundleMirrorState } from "../../provider/definitions/bundleMirror";
import type { ConfiguredResource, Core, ObjectRecord, PlanFile, Triggered } from "../support/terraform/core";
import { nullOf, shown, textValue, type Value } from "../support/terraform/cty";
import { type DestinationHabits, isDisturbance, ModelDestinations } from "./destinations";
import { copyOf, putBack } from "./lasting";
import { Machine, type Process } from "./machine";
import { moveAway } from "./mirrorRules";
import { ModelPlatform, type PlatformHabits } from "./platform";
import type { End } from "./pulumi";
import type { Budget, Schedule } from "./schedule";
import { ModelStore, type StoreHabits } from "./store";
import { worldOn } from "./surroundings";
import {
  journalAt,
  type TerraformCommand,
  TerraformEngine,
  type TerraformHabits,
  type TerraformRun,
} from "./terraform";
import { heldMirrors, leftOfMirrors, lostArchives, mirrors, wrongMirrors, wrongPlaces } from "./terraformMirrors";
import { advisesReplacement, codeOf, dismissible, hasCode, isContradiction } from "./told";

/** The commands of a person, the surroundings, and the possible faults. */
export interface TerraformScript {
  name: string;
  /** `as told` is an apply that follows the last errors. */
  commands: readonly (TerraformCommand | "as told")[];
  /** True if it takes seconds. Such a script runs only in the campaign, and in the search for a seeded bug. */
  slow?: true;
  ends?: readonly End[];
  budget: Budget;
  terraform?: TerraformHabits;
  platform?: PlatformHabits;
  store?: StoreHabits;
  destination?: DestinationHabits;
  interleaves?: boolean;
  /** True if the first two commands run at the same time. */
  areBeside?: boolean;
}

interface Here {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
  /** The journals of all machines, by their places. */
  stores: ReadonlyMap<string, ModelStore>;
  destinations: ModelDestinations;
  engine: TerraformEngine;
}

/** The facts about a story that its models do not hold. */
class Ledger {
  /** Starts that were asked for, and messages. */
  asked = 0;
  messagesAsked = 0;
  /** The parts of the names of entries that tell a message, of all that a state ever had. */
  readonly intents = new Set<string>();
  /** True for each object whose next apply asks for a start. */
  readonly wants = new Map<string, boolean>();
  /**
   * The objects that were asked for and do not exist yet, with the jobs that they replace, and the jobs that a state
   * had at that time and that a new one cannot be.
   */
  readonly awaited = new Map<string, { replaced: string | undefined; had: ReadonlySet<string> }>();
  /** The jobs that were there when a run was cut off: nothing tells that a state has them. */
  readonly cutOff = new Set<string>();
  /** The jobs that failed creates have left and plans have recorded, when another state was at work: it may have continued them. */
  readonly recorded = new Set<string>();
  /** The ids that no state had, although they were noted as handed over, or a run has told that it does not use them. */
  readonly unsaved = new Set<string>();
  /** The arguments of each object's last start. */
  readonly requests = new Map<string, string>();
  /** Those that the run which is under way makes, with what they replace. */
  readonly newRequests = new Map<string, { request: string; replaced: string | undefined }>();
  /** The end of the last apply that left an object as declared. */
  readonly greenAt = new Map<string, number>();
  readonly everSaved = new Set<string>();
  /** The state whose run has started a job. */
  readonly startedBy = new Map<string, string>();
  /** The jobs that a state has had as completed. */
  readonly completed = new Set<string>();
  /** The names of entries with an unknown outcome, and the number of those that a person has settled. */
  readonly doubtful = new Set<string>();
  settled = 0;
  /** The code that a person has given for an address, or the job that it adopts. */
  readonly answers = new Map<string, string>();
  /** How many lost answers the next run is told about: by adoptions, and by codes. */
  newAnswers = 0;
  /** Those that a successful run was told. */
  readonly everSettled = new Set<string>();
  /** The jobs that a person has found on the platform and given to a resource. */
  readonly adopted = new Set<string>();
  /**
   * The imported objects, each with its job, and with the keys of the lost starts that were in doubt before the object was
   * as declared: one of them is settled by the import.
   */
  readonly imported = new Map<string, { id: string; keys: ReadonlySet<string> }>();
  /** The parts of the names of entries that tell a message, of those that an error was about. */
  readonly toldInDoubt = new Set<string>();
  /** Every mirror that a state has had. */
  readonly everMirrors = new Map<string, BundleMirrorState>();
  /** The number of times that a person has given a mirror another destination. */
  moves = 0;
  /** True if a person has told Terraform to forget a mirror. */
  hasForgotten = false;
  readonly texts: string[] = [];
  readonly problems = new Set<string>();
  last: TerraformCommand = { kind: "apply" };
  lastRun: { outcome: TerraformRun["outcome"]; errors: TerraformRun["told"]["errors"] } | undefined;

  /** True if the object has another address from now on. */
  rename(from: string, to: string): void {
    const { wants, awaited, greenAt, requests, imported } = this;
    for (const known of [wants, awaited, greenAt, requests, imported] as Map<string, unknown>[]) {
      if (known.has(from) && !known.has(to)) {
        known.set(to, known.get(from));
      }
      known.delete(from);
    }
  }
}

const exports = "docsplatform_static_export";
const messages = "docsplatform_agent_message";
/** Of the warning about a message whose answer was lost. */
const unknownMessage = "not known if a message";

/** Returns the values that distinguish one start from another. */
const requestNames: Readonly<Record<string, readonly string[]>> = {
  [exports]: ["domain", "triggers", "export_options"],
  [messages]: ["job_id", "project_id", "prompt", "triggers"],
};

/** An entry that another program has written. */
const foreign = { name: `${"f".repeat(32)}-${"0".repeat(32)}.${"0".repeat(12)}`, text: '{"of":"others"}' };

/** Plays one story, and returns the rules that it broke. */
export async function tellOfTerraform(script: TerraformScript, schedule: Schedule): Promise<string[]> {
  const machine = new Machine(schedule, script.interleaves);
  machine.usesFiles = script.commands.some(
    (command) => typeof command === "object" && Object.values(command.declared ?? {}).some(isMirror),
  );
  const platform = new ModelPlatform(machine, script.platform);
  const store = new ModelStore(machine, script.store);
  const destinations = new ModelDestinations(machine, script.destination);
  store.texts.set(foreign.name, foreign.text);
  const stores = new Map([[journalAt(), store]]);
  for (const { journal } of script.commands.filter((command) => command !== "as told")) {
    if (!stores.has(journalAt(journal))) {
      stores.set(journalAt(journal), new ModelStore(machine, journal === "none" ? { isNone: true } : script.store));
    }
  }
  const storeAt = (place: string) => stores.get(place) ?? store;
  const worldOf = (process: Process) => worldOn(machine, storeAt, process, destinations);
  const engine = new TerraformEngine(machine, platform, worldOf, script.terraform);
  const here = { machine, platform, store, stores, destinations, engine };
  const ledger = new Ledger();
  const parts = [machine, platform, ...stores.values(), destinations, engine, ledger];
  if (schedule.beginning !== undefined) {
    putBack(parts, schedule.beginning);
  }
  const [first, second] = script.commands;
  if (script.areBeside && typeof first === "object" && typeof second === "object") {
    await runBoth([first, second], here, ledger);
  }
  for (const command of script.areBeside ? [] : script.commands.slice(schedule.runs.length)) {
    await runOnce(command === "as told" ? await advised(here, ledger) : command, script.ends ?? [], here, ledger);
    const isAtRest = engine.orphans.every(({ isAlive }) => !isAlive);
    // Neither a saved plan nor a value that is not known can be copied.
    const copy = () => (engine.plans.size > 0 || script.commands.some(hasUnknown) ? undefined : copyOf(parts));
    if (isAtRest && schedule.isBeyond && schedule.rests(summary(here, ledger), copy)) {
      return [...ledger.problems];
    }
  }
  for (const orphan of engine.orphans) {
    await machine.drain(orphan);
    noteUnsaved(here, ledger, true);
  }
  await endInPeace(script, here, ledger);
  if (machine.usesFiles) {
    await checkLeft(here, ledger);
    destinations.end();
  }
  return [...ledger.problems];
}

function hasUnknown(command: TerraformScript["commands"][number]): boolean {
  return typeof command === "object" && Object.values(command.declared ?? {}).some(({ early }) => early !== undefined);
}

function isMirror({ type }: Pick<ConfiguredResource, "type">): boolean {
  return type === mirrors;
}

async function runBoth(commands: readonly TerraformCommand[], here: Here, ledger: Ledger): Promise<void> {
  const { machine, engine } = here;
  const run = (command: TerraformCommand) => engine.runBeside(command, (plan) => ask(command, plan, here, ledger));
  const both = Promise.all(commands.map(run));
  const runs = await machine.run(machine.spawn("nobody"), undefined, both);
  for (const [index, { told }] of runs === "ended" ? [] : runs.entries()) {
    note(told.errors.concat(told.warnings), here, ledger);
    checkErrors(told.errors, engine.core(commands[index]?.state), here, ledger);
  }
  check(here, ledger);
}

async function runOnce(command: TerraformCommand, ends: readonly End[], here: Here, ledger: Ledger): Promise<void> {
  const { machine, engine, platform } = here;
  const lostBefore = platform.lostAnswers;
  machine.schedule.beginRun();
  noteTaint(command, here, ledger);
  if (command.action !== undefined) {
    countAction(command.action, ledger);
  }
  const isAnswered = ledger.newAnswers > 0 && doubtfulIn(here).length <= ledger.newAnswers;
  ledger.newAnswers = 0;
  const isAdopting = Object.keys(command.adopts ?? {}).length > 0;
  noteRecorded(command, here, ledger);
  const wasAlone = engine.orphans.every(({ isAlive }) => !isAlive);
  const run = await engine.run(command, ends, (plan) => ask(command, plan, here, ledger));
  const { outcome, told } = run;
  for (const { id } of platform.jobs.filter((job) => !ledger.startedBy.has(job.id))) {
    ledger.startedBy.set(id, command.state ?? "one");
  }
  if (outcome === "ended") {
    for (const { id, key } of [...here.platform.jobs, ...here.platform.messages]) {
      ledger.cutOff.add(id).add(key.slice(-12));
    }
  }
  for (const id of ofOrphans(here)) {
    ledger.cutOff.add(id);
  }
  note([...told.errors, ...told.warnings], here, ledger);
  noteInDoubt(command, told.errors, here, ledger);
  noteUnsaved(here, ledger, outcome === "ended" || !wasAlone);
  noteUnused(run, ledger);
  for (const fault of told.faults) {
    ledger.problems.add(`CORE: ${fault}`);
  }
  const ids = [...engine.cores].flatMap(([state, core]) =>
    [...core.state].map(([address, { current, deposed }]) => {
      const of = current === undefined ? "nothing" : `${idOf(current)}${current.tainted ? ", tainted" : ""}`;
      return `${state} ${address}: ${of}${deposed.length > 0 ? `, deposed ${deposed.map(idOf)}` : ""}`;
    }),
  );
  machine.schedule.tell(`    ${outcome}: ${ids.join("; ") || "the states are empty"}`);
  for (const name of doubtfulIn(here)) {
    ledger.doubtful.add(name);
  }
  // A start whose answer an orphan has lost is in doubt once the orphan has ended.
  const isAlone = wasAlone && engine.orphans.every(({ isAlive }) => !isAlive);
  const errors = told.errors.map(({ text }) => text);
  const isAsked = told.errors.some(
    ({ address, text }) => address.startsWith(exports) && codeOf(text) === "DOCS_AMBIGUOUS_START",
  );
  if (isAlone && isAsked && ledger.doubtful.size <= ledger.settled && !hasStoreFailed(machine)) {
    ledger.problems.add("FALSE ALARM: nothing is in doubt, and the run says that a start may be");
  }
  // A create beside an adoption may look before the adoption has settled anything.
  const isAgain = ({ address, text }: (typeof told.errors)[number]) =>
    codeOf(text) === "DOCS_AMBIGUOUS_START" && (!isAdopting || ledger.answers.has(address));
  if (isAnswered && platform.lostAnswers === lostBefore && told.errors.some(isAgain)) {
    ledger.problems.add("FALSE ALARM: each of the lost answers was told about, and one is asked about again");
  }
  // A plan asks no remote journal. So an entry may be there although the state has its job.
  // Of what is imported the journal is told by an update. It knows nothing if a replacement comes first.
  const isNew = (address: string, text: string) => {
    const key = `${command.state ?? "one"} ${address}`;
    return !ledger.greenAt.has(key) && text.includes(`${ledger.imported.get(key)?.id},`);
  };
  const isAlarm = ({ address, text }: (typeof told.errors)[number]) => isContradiction(text) && !isNew(address, text);
  if (told.errors.some(isAlarm) && !hasStoreFailed(machine) && !here.store.habits.isRemote) {
    ledger.problems.add("FALSE ALARM: what is under way was taken up, and the run says that a new one was asked for");
  }
  const isStoreSound = !machine.schedule.story.some((line) => /\[(fails|stored, and answered 503)\]$/.test(line));
  const others = errors.filter((text) => !isContradiction(text));
  if (isAlone && isStoreSound && hasCode("DOCS_JOURNAL", others)) {
    ledger.problems.add("FALSE ALARM: no other run is there, and the run says that one is at work");
  }
  if (outcome !== "ended") {
    checkErrors(told.errors, engine.core(command.state), here, ledger);
  }
  noteRequests(command, here, ledger);
  noteGone(command, run, here, ledger);
  if (outcome === "green" && command.kind !== "plan") {
    for (const [address, answer] of ledger.answers) {
      const isGiven = command.adopts?.[address] === answer || command.notStarted?.includes(answer);
      // It is of use only to what is created.
      const isUsed = run.plan?.changes.some((change) => change.address === address && isCreate(change));
      if (isGiven && isUsed && !ledger.everSettled.has(answer)) {
        ledger.everSettled.add(answer);
        ledger.settled = Math.min(ledger.doubtful.size, ledger.settled + 1);
      }
    }
    noteGreen(command, run, here, ledger);
  }
  if (
    command.declared !== undefined ||
    !["taint", "untaint", "apply the plan", "invoke", "rest"].includes(command.kind)
  ) {
    ledger.last = command;
  }
  ledger.lastRun = { outcome, errors: told.errors };
  check(here, ledger);
  if (machine.usesFiles) {
    await checkMirrors(command, run, here, ledger);
  }
}

/** Files of mirrors are there after a successful run, and those of others always. */
async function checkMirrors(
  { kind, state, target, refresh }: TerraformCommand,
  { outcome, plan }: TerraformRun,
  { engine, destinations }: Here,
  ledger: Ledger,
): Promise<void> {
  const { everMirrors, problems } = ledger;
  for (const mirror of heldMirrors(engine.cores)) {
    everMirrors.set(`${mirror.__key} ${mirror.jobId}`, mirror);
  }
  ledger.hasForgotten ||= plan?.changes.some((change) => isMirror(change) && change.action === "forget") ?? false;
  const isWhole = outcome === "green" && kind === "apply" && target === undefined && refresh === undefined;
  // A provider without its Terraform may go on where another one has begun.
  const hasOrphans = engine.orphans.length > 0;
  for (const problem of [
    ...(isWhole ? await wrongMirrors(destinations, engine.core(state)) : []),
    ...(plan === undefined || plan.isRefused ? [] : await lostArchives(destinations, engine.core(state), plan)),
    ...wrongPlaces(destinations, engine.cores).filter((one) => !hasOrphans || !one.startsWith("TORN")),
  ]) {
    problems.add(problem);
  }
}

/** A mirror that no state has any more leaves no files, unless a person has kept them or a text has named them. */
async function checkLeft({ engine, destinations }: Here, ledger: Ledger): Promise<void> {
  const { everMirrors, problems, texts, hasForgotten } = ledger;
  const isTold = hasForgotten || texts.some((text) => /names other mirrors|by hand|could not be removed/.test(text));
  if (!isTold && engine.orphans.length === 0) {
    for (const problem of await leftOfMirrors(destinations, engine.cores, everMirrors.values())) {
      problems.add(problem);
    }
  }
}

/** A taint asks for a new one, unless a create that has failed goes on. */
function noteTaint({ kind, state = "one", of = [] }: TerraformCommand, { engine }: Here, ledger: Ledger): void {
  const isSound = (address: string) => {
    const saved = engine.core(state).saved(address);
    return saved !== undefined && !hasFailed(saved);
  };
  if (kind === "taint" || kind === "untaint") {
    for (const address of of.filter(isSound)) {
      ledger.wants.set(`${state} ${address}`, kind === "taint");
    }
  }
}

function hasFailed({ private: bytes }: ObjectRecord): boolean {
  return Buffer.from(bytes ?? []).includes('"failed"');
}

/** True if the failed create of a resource has left this job. */
function isLeft(id: string, { engine }: Here): boolean {
  const all = [...engine.cores.values()].flatMap((core) => [...core.state.values()]);
  return all.some(({ current }) => current?.tainted && hasFailed(current) && idOf(current) === id);
}

/** Notes what an equal export of this state may continue, although it is that of another state. */
function noteRecorded({ state = "one" }: TerraformCommand, { engine, stores }: Here, ledger: Ledger): void {
  const entries = [...stores.values()].flatMap(({ texts }) => [...texts.values()]).map((text) => JSON.parse(text));
  const recorded = new Set(entries.filter(({ planned }) => planned).map(({ id }) => id));
  const others = [...engine.cores].filter(([name]) => name !== state);
  for (const { current } of others.flatMap(([, core]) => [...core.state.values()])) {
    if (current?.tainted && hasFailed(current) && recorded.has(idOf(current))) {
      ledger.recorded.add(idOf(current));
    }
  }
}

/** Counts the starts that a plan asks for, right before it is applied. */
function ask({ state = "one" }: TerraformCommand, plan: PlanFile, here: Here, ledger: Ledger): void {
  const { engine, platform } = here;
  const { changes, flags, blocks, configuration, prior, isRefused } = plan;
  for (const [address, id] of Object.entries(blocks.imports ?? {})) {
    // Whoever takes another job for the one whose answer was lost is believed: the platform tells no times here. A job
    // that no state had, or that a failed create has left, was to be continued by its own export, which begins another
    // one then. So does the export whose start got no answer, unless the import is for this export itself.
    const isForeign = doubtfulIn(here).length > 0 || !ledger.everSaved.has(id) || isLeft(id, here);
    const isElsewhere = (ledger.startedBy.get(id) ?? state) !== state;
    const key = `${state} ${address}`;
    const isAnothers = !ledger.adopted.has(id) && (ledger.wants.get(key) ?? true);
    if (platform.jobs.some((job) => job.id === id && (job.isAnswered ? isForeign : isElsewhere || isAnothers))) {
      ledger.asked++;
    }
    ledger.adopted.add(id);
    ledger.imported.set(key, { id, keys: ledger.imported.get(key)?.keys ?? new Set() });
  }
  for (const [key, { id, keys }] of ledger.imported) {
    if (!ledger.greenAt.has(key)) {
      ledger.imported.set(key, { id, keys: new Set([...keys, ...keysInDoubt(here)]) });
    }
  }
  for (const [from, to] of Object.entries(blocks.moved ?? {})) {
    ledger.rename(`${state} ${from}`, `${state} ${to}`);
  }
  for (const change of isRefused || flags.refresh === "only" ? [] : changes) {
    const { address, action } = change;
    const declared = configuration[address];
    if (declared === undefined || action === "delete" || action === "forget") {
      continue;
    }
    if (declared.type === exports && typeof declared.config.job_id?.content === "string") {
      ledger.adopted.add(declared.config.job_id.content);
    }
    for (const action of change.planned === undefined ? [] : (declared.triggers ?? [])) {
      countAction(action, ledger);
    }
    const names = requestNames[declared.type];
    if (names === undefined) {
      continue;
    }
    const key = `${state} ${address}`;
    const saved = prior.get(address)?.current;
    // Of -replace no provider hears where the object is tainted.
    const isReplaced = action === "replace" && saved?.tainted === false && (flags.replace?.includes(address) ?? false);
    const isStarted = action === "create" || action === "replace";
    const request = names.map((name) => shown(givenOf(declared, name))).join();
    // A value that is not known yet counts as another value, except for a tainted object, whose own value is not compared.
    const isUnknown =
      action === "replace" &&
      !saved?.tainted &&
      [...names, "job_id"].some((name) => declared.early?.[name] !== undefined);
    const held = ledger.requests.get(key);
    const isOther = isUnknown || (held !== undefined && held !== request);
    // It was told to use a job, was killed before the state had it, and is told so no more.
    const isForgotten = saved === undefined && ledger.adopted.has(ledger.answers.get(address) ?? "");
    const isAsked = (ledger.wants.get(key) ?? true) || isReplaced || isOther || isForgotten;
    if (isStarted || !ledger.requests.has(key)) {
      ledger.newRequests.set(key, { request, replaced: saved && holderOf("", saved) });
    }
    if (isStarted && isAsked && declared.type === messages) {
      ledger.messagesAsked++;
      const replaced = action === "replace" && saved?.tainted === false ? intentOf(saved) : undefined;
      ledger.awaited.set(key, { replaced, had: new Set() });
    } else if (isStarted && isAsked && (declared.config.job_id?.content ?? null) === null) {
      ledger.asked++;
      const replaced = action === "replace" && saved?.tainted === false ? idOf(saved) : undefined;
      // Where nothing is read, nothing tells who has tainted what is under way.
      const isTold = flags.refresh !== false || saved?.tainted !== true;
      const own = saved !== undefined && isTold ? [idOf(saved)] : [];
      ledger.awaited.set(key, { replaced, had: new Set([...ledger.completed, ...own]) });
    }
    // An object that this plan only imports may never come to exist. One that is tainted and adopts a job asks for none:
    // if the run ends before, and no job is named any more, it is still to be replaced.
    const isAdopting =
      saved?.tainted && (declared.config.job_id?.content ?? null) !== null && declared.type === exports;
    if (!isAdopting && (isStarted || engine.core(state).saved(address) !== undefined)) {
      ledger.wants.set(key, false);
    }
  }
}

/** A null of any type gives nothing. */
function givenOf({ config }: ConfiguredResource, name: string): Value {
  const given = config[name];
  return given === undefined || given.content === null ? nullOf("dynamic") : given;
}

function note(told: readonly { address: string; text: string }[], { machine, engine }: Here, ledger: Ledger): void {
  for (const { address, text } of told) {
    ledger.texts.push(text);
    if (codeOf(text) === "DOCS_INTERNAL") {
      ledger.problems.add(`INTERNAL: ${address}: ${text.slice(0, 160)}`);
    }
    machine.schedule.tell(`    ${address}: ${text.replace(/\n/g, " ").slice(0, 160)}`);
  }
  for (const core of engine.cores.values()) {
    for (const { type, current, deposed } of core.state.values()) {
      if (type === messages && current !== undefined) {
        ledger.intents.add(intentOf(current));
      }
      if (type !== exports) {
        continue;
      }
      for (const saved of current === undefined ? deposed : [current, ...deposed]) {
        ledger.everSaved.add(idOf(saved));
      }
      if (current?.block.status?.content === "completed") {
        ledger.completed.add(idOf(current));
      }
    }
  }
}

/** Notes the messages in the state of which an error has said that they may not have been sent. A person may untaint them. */
function noteInDoubt(
  { state = "one" }: TerraformCommand,
  errors: TerraformRun["told"]["errors"],
  { engine }: Here,
  ledger: Ledger,
): void {
  for (const { address } of errors.filter(({ text }) => codeOf(text) === "DOCS_AMBIGUOUS_START")) {
    const saved = address.startsWith(messages) ? engine.core(state).saved(address) : undefined;
    if (saved !== undefined) {
      ledger.toldInDoubt.add(intentOf(saved));
    }
  }
}

/**
 * After a second Ctrl-C, or when Terraform dies at its end, providers end in order, and note as handed over what Terraform
 * has not saved. Another one is begun then, and a warning names the first.
 * @param hasEnded true if such a provider may have ended since the last call. The entry may be that of a process before it.
 */
function noteUnsaved({ stores, machine }: Here, ledger: Ledger, hasEnded: boolean): void {
  for (const text of [...stores.values()].flatMap(({ texts }) => [...texts.values()])) {
    const { id, handedOver, idempotencyKey, owner } = JSON.parse(text);
    if (!hasEnded && machine.processOf(owner ?? {})?.hasEngine !== false) {
      continue;
    }
    const isMessage = String(id).startsWith("agent-");
    const isSaved = isMessage ? ledger.intents.has(String(idempotencyKey).slice(-12)) : ledger.everSaved.has(id);
    if (handedOver && !isSaved && !ledger.unsaved.has(id)) {
      ledger.unsaved.add(id);
      ledger[isMessage ? "messagesAsked" : "asked"]++;
    }
  }
}

/**
 * A new export beside one that is replaced for an input that the plan does not know may be that one: it starts, and a
 * warning names what a killed run has started for it.
 */
function noteUnused({ plan, told }: TerraformRun, ledger: Ledger): void {
  for (const { address, text } of told.warnings) {
    const [, id = ""] = /an earlier run started (\S+) .*this run does not use it/.exec(text) ?? [];
    const isNew = plan?.changes.some((change) => change.address === address && change.action === "create");
    const isBeside = plan?.changes.some(
      (change) =>
        change.type === exports &&
        change.action === "replace" &&
        plan.configuration[change.address]?.createFirst !== true &&
        isGuessed(change.address, plan),
    );
    if (isNew && isBeside && ledger.cutOff.has(id) && !ledger.everSaved.has(id) && !ledger.unsaved.has(id)) {
      ledger.unsaved.add(id);
      ledger.asked++;
    }
  }
}

/** Notes what each new object was made from, unless the old object stays. */
function noteRequests({ state = "one" }: TerraformCommand, { engine }: Here, ledger: Ledger): void {
  for (const [key, { request, replaced }] of ledger.newRequests) {
    const saved = engine.core(state).saved(key.slice(state.length + 1));
    if (replaced === undefined || saved === undefined || !saved.tainted || holderOf("", saved) !== replaced) {
      ledger.requests.set(key, request);
    }
  }
  ledger.newRequests.clear();
}

/** An object that is no longer declared to be started, and is gone, is wanted again once it is declared so. */
function noteGone({ state = "one" }: TerraformCommand, { plan }: TerraformRun, { engine }: Here, ledger: Ledger): void {
  const core = engine.core(state);
  for (const key of plan === undefined ? [] : ledger.wants.keys()) {
    const [of, address = ""] = key.split(" ");
    const declared = plan?.flags.destroys ? undefined : plan?.configuration[address];
    // An object that was to adopt a job, and did not, starts one as soon as its configuration names no job.
    const isDeclared = declared !== undefined && (declared.config.job_id?.content ?? null) === null;
    const saved = core.saved(address);
    if (of === state && !isDeclared && saved === undefined) {
      ledger.wants.set(key, true);
    } else if (of === state && saved?.tainted === false) {
      ledger.wants.set(key, false);
    }
  }
}

function noteGreen(
  { kind, state = "one" }: TerraformCommand,
  { plan }: TerraformRun,
  { engine, platform, machine }: Here,
  ledger: Ledger,
): void {
  if (plan === undefined || plan.flags.destroys || plan.flags.refresh === "only") {
    return;
  }
  const core = engine.core(state);
  for (const { address, action } of plan.changes.filter((change) => plan.configuration[change.address] !== undefined)) {
    const key = `${state} ${address}`;
    const saved = core.saved(address);
    if (saved === undefined || saved.tainted) {
      // A plan that is applied later may cover less.
      if (kind === "apply") {
        ledger.problems.add(`NOTHING: a green run has left no sound ${address}`);
      }
      continue;
    }
    if (address.startsWith(mirrors)) {
      continue;
    }
    if (!address.startsWith(exports)) {
      for (const problem of problemsOf(address, saved, platform, ledger)) {
        ledger.problems.add(problem);
      }
      // A saved plan renews only what was due when it was made.
      const end = Date.parse(String(saved.block.expires_at?.content));
      if (kind === "apply" && end <= machine.time) {
        ledger.problems.add(`ENDED: the link of ${address} has ended before a green run`);
      }
      const { acceptedAt = machine.time } = platform.messages.find((one) => one.key.endsWith(intentOf(saved))) ?? {};
      const isCutOff = ledger.cutOff.has(intentOf(saved)) || hasStoreFailed(machine);
      const awaited = ledger.awaited.get(key);
      const isForgotten = awaited?.replaced === intentOf(saved) && action !== "replace";
      const isExcused = isCutOff || isForgotten || isLeftBeside(address, intentOf(saved), plan);
      if (awaited !== undefined && acceptedAt < (ledger.greenAt.get(key) ?? 0) && !isExcused) {
        ledger.problems.add(`OLD: the message of ${key} was sent before it was asked for`);
      }
      ledger.awaited.delete(key);
      ledger.greenAt.set(key, machine.time);
      continue;
    }
    const id = idOf(saved);
    const job = platform.jobs.find((one) => one.id === id);
    // A create that knows what it takes the place of continues nothing that is older. Of several, any may know it.
    const prior = plan.prior.get(address)?.current;
    const isFirstDeleted = prior?.tainted === false && plan.configuration[address]?.createFirst !== true;
    const isInPlace = action === "replace" && isFirstDeleted && plan.changes.filter(createsExport).length === 1;
    const isTold =
      ledger.adopted.has(id) ||
      isLeftBeside(address, id, plan) ||
      (!isInPlace &&
        ledger.cutOff.has(id) &&
        ledger.texts.some((text) => text.includes(`continues with export job ${id},`)));
    const awaited = ledger.awaited.get(key);
    // A replacement is asked for one run only. If it has not begun, nobody waits for it any more.
    const isForgotten = awaited?.replaced === id && action !== "replace";
    const isOlder = job !== undefined && job.acceptedAt < (ledger.greenAt.get(key) ?? 0) && !isTold;
    // If the end of the run could not be noted, the old job is taken up, and an error says so.
    const isNoted = !hasStoreFailed(machine);
    const isWanted = ledger.adopted.has(id);
    const isOld = isOlder || (awaited?.had.has(id) && !isTold);
    if (awaited !== undefined && !isForgotten && !isWanted && isNoted && isOld) {
      ledger.problems.add(`OLD: ${id} was there before ${key} was asked for, and is handed out as a new one`);
    }
    ledger.awaited.delete(key);
    ledger.greenAt.set(key, machine.time);
  }
}

/**
 * True if this job or message was left by the failed create of another equal one that the plan replaces, too, and nothing
 * tells them apart: the new one comes first, or the plan does not know its inputs.
 */
function isLeftBeside(address: string, id: string, plan: PlanFile): boolean {
  const { changes, prior, configuration } = plan;
  const type = changes.find((change) => change.address === address)?.type;
  const others = changes.filter((change) => change.type === type && isCreate(change) && change.address !== address);
  const isAlike = configuration[address]?.createFirst === true || isGuessed(address, plan);
  return (
    isAlike &&
    others.some((other) => {
      const current = prior.get(other.address)?.current;
      return current?.tainted === true && hasFailed(current) && [idOf(current), intentOf(current)].includes(id);
    })
  );
}

/** True if the plan does not know what the new object is made from. */
function isGuessed(address: string, { configuration }: PlanFile): boolean {
  const { type = "", early = {} } = configuration[address] ?? {};
  return (requestNames[type] ?? []).some((name) => early[name] !== undefined);
}

function createsExport(change: PlanFile["changes"][number]): boolean {
  return change.type === exports && isCreate(change);
}

function isCreate({ action }: PlanFile["changes"][number]): boolean {
  return action === "create" || action === "replace";
}

/** Returns the faults of a link, or of a message, after a green run. */
function problemsOf(
  address: string,
  saved: ObjectRecord,
  platform: ModelPlatform,
  { answers, texts, toldInDoubt }: Ledger,
): string[] {
  const [job, url] = [saved.block.job_id, saved.block.bundle_url].map((value) => String(value?.content));
  if (!address.startsWith(messages)) {
    return url?.includes(`/${job}?`) ? [] : [`LINK: ${address} is about ${job}, and leads to ${url}`];
  }
  const intent = intentOf(saved);
  const isSent = platform.messages.some(({ key }) => key.endsWith(intent));
  // One that may have been lost on its way is kept as one that was sent, and an error says so.
  const isTold = answers.size > 0 || toldInDoubt.has(intent) || texts.some((text) => text.includes(unknownMessage));
  return isSent || isTold ? [] : [`UNSENT: ${address} is kept as sent, and no message has come`];
}

function countAction({ type }: Triggered, ledger: Ledger): void {
  if (type === messages) {
    ledger.messagesAsked++;
  } else {
    ledger.asked++;
  }
}

/** The part of the name of a journal's entry that tells one start from another. */
function intentOf(saved: ObjectRecord): string {
  const [, intent = "none"] = /\.([0-9a-f]{12})"/.exec(Buffer.from(saved.private ?? []).toString()) ?? [];
  return intent;
}

/** A message, as the state that has it. Another state of the folder may have it, too. */
function holderOf(state: string, saved: ObjectRecord): string {
  return `${intentOf(saved)} in ${state}`;
}

function check({ machine, engine, platform, store, stores }: Here, ledger: Ledger): void {
  const { asked, everSaved, problems, texts } = ledger;
  const allowed = asked + platform.lost();
  if (platform.jobs.length > allowed) {
    problems.add(`DOUBLE: ${platform.jobs.length} starts, ${allowed} asked for`);
  }
  if (platform.messages.length > ledger.messagesAsked) {
    problems.add(`DOUBLE: ${platform.messages.length} messages, ${ledger.messagesAsked} asked for`);
  }
  const holders = new Map<string, string>();
  for (const [state, core] of engine.cores) {
    for (const [address, { type, current }] of core.state) {
      const id =
        current && (type === exports ? idOf(current) : type === messages ? holderOf(state, current) : undefined);
      const isCutOff = current && (ledger.cutOff.has(String(id)) || ledger.cutOff.has(intentOf(current)));
      if (id === undefined || current?.tainted || ledger.adopted.has(id) || ledger.recorded.has(id) || isCutOff) {
        continue;
      }
      const other = holders.get(id);
      // Where a journal fails, nothing tells that this state has it.
      if (other !== undefined && !hasStoreFailed(machine)) {
        problems.add(`STANDS IN: ${id} is that of ${other}, and of ${state} ${address}, too`);
      }
      holders.set(id, `${state} ${address}`);
    }
  }
  if (store.texts.get(foreign.name) !== foreign.text) {
    problems.add("FOREIGN: an entry of others was touched");
  }
  if (store.everPut.some((text) => /svc_|a\.test|docsplatform/.test(text))) {
    problems.add("SECRET: an entry holds a key, a domain or an address");
  }
  if (engine.orphans.some(({ isAlive }) => isAlive)) {
    return;
  }
  const journal = [...stores.values()].flatMap(({ texts: kept }) => [...kept.values()]).join();
  const everPut = [...stores.values()].flatMap((one) => one.everPut).join();
  const imported = new Map(ledger.imported);
  for (const job of platform.jobs) {
    const { id, key, isAnswered } = job;
    const isKnown =
      // Nobody keeps what an action has started.
      !everPut.includes(key) ||
      platform.isLost(job) ||
      // Whoever has named it knows it.
      ledger.adopted.has(id) ||
      everSaved.has(id) ||
      journal.includes(`"${id}"`) ||
      // The journal has only the intent if the answer was never recorded.
      journal.includes(key) ||
      texts.some((text) => text.includes(id));
    if (isAnswered && !isKnown) {
      // An import is believed to be of the start whose answer was lost, whatever it names, and settles no second one.
      const [by] = [...imported].find(([, other]) => other.id !== id && other.keys.has(key)) ?? [];
      if (by === undefined) {
        problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
      } else {
        imported.delete(by);
      }
    }
  }
  // A start in doubt has an entry of another name from then on. The next run tells of it if nobody has heard this one.
  const isTold =
    ledger.answers.size > 0 ||
    [...stores.values()].some(({ texts: kept }) => [...kept.values()].some(isInDoubt)) ||
    hasCode("DOCS_AMBIGUOUS_START", texts) ||
    texts.some((text) => text.includes(unknownMessage));
  for (const { id, key, isAnswered } of isTold ? [] : platform.messages) {
    const isKnown = !everPut.includes(key) || ledger.intents.has(key.slice(-12)) || journal.includes(key);
    if (isAnswered && !isKnown) {
      problems.add(`LOST: ${id} is in no state, and in no journal`);
    }
  }
}

/** A run that came to its end says nothing of a job that the journal, or the state, contradicts. */
function checkErrors(errors: TerraformRun["told"]["errors"], core: Core, { stores }: Here, ledger: Ledger): void {
  const current = [...core.state.values()].flatMap((saved) => (saved.current ? [idOf(saved.current)] : []));
  const entries = [...stores.values()].flatMap(({ texts }) => [...texts]);
  for (const { address, text } of errors) {
    const [, continued] = /so the create continued (\S+) /.exec(text) ?? [];
    if (continued !== undefined && !current.includes(continued)) {
      ledger.problems.add(`FALSE ALARM: no create has continued ${continued}, and the run says that one did`);
    }
    const asked = address.startsWith(exports) ? dismissible(text) : [];
    for (const code of asked) {
      const [, entry = "{}"] = entries.find(([name]) => name.endsWith(code)) ?? [];
      if (JSON.parse(entry).id !== undefined) {
        ledger.problems.add(`FALSE ALARM: the journal has the answer of ${code}, and the run asks about it`);
      }
    }
  }
}

/** A person who follows the messages of the runs must be done after a few runs. Then nothing is left to do. */
async function endInPeace(script: TerraformScript, here: Here, ledger: Ledger): Promise<void> {
  const used = new Map<string, TerraformCommand>();
  for (const command of script.commands) {
    if (
      typeof command === "object" &&
      !["taint", "untaint", "destroy", "apply the plan", "invoke", "rest"].includes(command.kind)
    ) {
      used.set(command.state ?? "one", command);
    }
  }
  for (const { of: _, refresh: __, target: ___, blocks, declared, ...rest } of used.values()) {
    const sound =
      declared &&
      Object.entries(declared).map(([address, each]) => [address, { ...each, early: {}, preventDestroy: false }]);
    const usual: TerraformCommand = {
      ...rest,
      kind: "apply",
      ...(sound && { declared: Object.fromEntries(sound) }),
      ...(blocks?.moved && { blocks: { moved: blocks.moved } }),
    };
    ledger.last = usual;
    ledger.lastRun = undefined;
    await runOnce(usual, [], here, ledger);
    // A run with a fault is not quiet.
    const faults = script.budget.fault ?? 0;
    for (let run = 0; run < 4 + faults && outcomeOf(ledger) !== "green"; run++) {
      await runOnce(await advised(here, ledger), [], here, ledger);
    }
    if (outcomeOf(ledger) !== "green") {
      ledger.problems.add(`STUCK: ${script.name} is not green after five quiet runs`);
    } else if (declared !== undefined) {
      await restAtLast(here, ledger);
    }
  }
}

/** The same command again has nothing to do, except to take over imported values. */
async function restAtLast(here: Here, ledger: Ledger): Promise<void> {
  const { blocks: _, notStarted: __, of: ___, ...last } = ledger.last;
  await runOnce({ ...last, kind: "apply" }, [], here, ledger);
  const starts = here.platform.jobs.length;
  const { plan } = await here.engine.run({ ...last, kind: "plan" }, []);
  const due = plan?.changes.filter(({ isDue }) => isDue) ?? [];
  for (const { address, action } of due) {
    ledger.problems.add(`RESTLESS: ${action} of ${address}, where nothing has changed`);
  }
  if (here.platform.jobs.length !== starts) {
    ledger.problems.add("RESTLESS: a plan has started something");
  }
}

function outcomeOf({ lastRun }: Ledger): string | undefined {
  return lastRun?.outcome;
}

/** Repeats the last command as its errors advise. */
async function advised({ platform, machine, store, destinations, engine }: Here, ledger: Ledger) {
  const { of: _, notStarted: __, adopts: earlier = {}, again: before = {}, ...last } = ledger.last;
  const declared = { ...last.declared };
  const adopts = { ...earlier };
  const again = { ...before };
  const notStarted: string[] = [];
  const journal = [...store.texts.values()].join();
  const isThere = (id: string) =>
    ledger.everSaved.has(id) || journal.includes(`"${id}"`) || Object.values(adopts).includes(id);
  const everPut = store.everPut.join();
  const isOurs = ({ id, key }: { id: string; key: string }) => everPut.includes(key) && !isThere(id);
  const lost = platform.jobs.filter((job) => !platform.isLost(job) && isOurs(job));
  const replaced: string[] = [];
  const errors = ledger.lastRun?.errors ?? [];
  const isAbout = (text: string, { key }: { key: string }) => dismissible(text).some((code) => key.endsWith(code));
  for (const { address, text } of errors) {
    if (codeOf(text) === "DOCS_JOB_FAILED") {
      delete adopts[address];
    }
    if (text.includes("remove it and change triggers")) {
      machine.schedule.tell(`    (a person changes the triggers of ${address})`);
      again[address] = `again ${++ledger.moves}`;
    }
    const given = declared[address];
    if (given?.type === mirrors && codeOf(text) === "DOCS_DESTINATION" && !isDisturbance(text)) {
      if (await moveAway(destinations, heldMirrors(engine.cores), given.config.destination?.content)) {
        machine.schedule.tell(`    (a person moves the files away that no mirror has, for ${address})`);
      } else {
        machine.schedule.tell(`    (a person gives ${address} another destination)`);
        const destination = textValue(`file:///another/${++ledger.moves}`);
        declared[address] = { ...given, ignore: [], config: { ...given.config, destination } };
      }
    }
    const codes = dismissible(text);
    const isMessage = address.startsWith(messages);
    if (isMessage && platform.messages.some(({ key }) => codes.some((code) => key.endsWith(code)))) {
      continue;
    }
    // Its own job, or one that no other error is about.
    const job =
      lost.find((one) => isAbout(text, one)) ?? lost.find((one) => !errors.some((error) => isAbout(error.text, one)));
    if (codes.length > 0 && !isMessage && job !== undefined) {
      lost.splice(lost.indexOf(job), 1);
      machine.schedule.tell(`    (a person adopts ${job.id} for ${address})`);
      ledger.texts.push(job.id);
      ledger.adopted.add(job.id);
      adopts[address] = job.id;
      ledger.answers.set(address, job.id);
      ledger.newAnswers++;
    } else if (codes.length > 0) {
      machine.schedule.tell(`    (a person says that ${codes} came to nothing)`);
      notStarted.push(...codes);
      ledger.answers.set(address, codes.join());
      ledger.newAnswers += codes.length;
      // If the job exists and another resource has it, the person wants a new one.
      if (platform.jobs.some(({ key }) => codes.some((code) => key.endsWith(code)))) {
        ledger.asked++;
      }
    } else if (advisesReplacement(text)) {
      replaced.push(address);
    }
  }
  return {
    ...last,
    kind: "apply" as const,
    adopts,
    again,
    notStarted,
    ...(last.declared && { declared }),
    ...(replaced.length > 0 && { of: replaced }),
  };
}

function hasStoreFailed({ schedule }: Machine): boolean {
  return schedule.story.some((line) => line.endsWith("[fails]"));
}

/** True for the entry of a message that may have been sent. */
function isInDoubt(entry: string): boolean {
  const { id, acceptedAt } = JSON.parse(entry);
  return String(id).startsWith("agent-") && acceptedAt === undefined;
}

/** The jobs and the messages in the entries of processes that have lost their Terraform. */
function ofOrphans({ stores, machine }: Here): string[] {
  const entries = [...stores.values()].flatMap(({ texts }) => [...texts]).filter(([name]) => name !== foreign.name);
  return entries
    .map(([, text]) => JSON.parse(text))
    .filter(({ id, owner }) => id !== undefined && machine.processOf(owner)?.hasEngine === false)
    .flatMap(({ id, idempotencyKey }) => [id, String(idempotencyKey).slice(-12)]);
}

/** The names of the entries without an answer whose process is gone. */
function doubtfulIn(here: Here): string[] {
  return entriesInDoubt(here).map(([name]) => name);
}

/** The keys of the requests without an answer whose process is gone. */
function keysInDoubt(here: Here): string[] {
  return entriesInDoubt(here).map(([, key]) => key);
}

function entriesInDoubt({ stores, machine }: Here): [name: string, key: string][] {
  return [...stores.values()]
    .flatMap(({ texts }) => [...texts])
    .flatMap(([name, entry]) => {
      const { id, owner, idempotencyKey } = JSON.parse(entry);
      const isInDoubt = name !== foreign.name && id === undefined && !machine.processOf(owner)?.isAlive;
      return isInDoubt ? [[name, idempotencyKey]] : [];
    });
}

function idOf({ block }: ObjectRecord): string {
  return String(block.job_id?.content ?? "");
}

/** Returns everything on which the future depends, without times, and with renamed ids. */
function summary({ engine, platform, stores }: Here, ledger: Ledger): string {
  const { greenAt, texts, problems: _, last, lastRun, ...rest } = ledger;
  const green = (acceptedAt: number) => [...greenAt].map(([key, at]) => [key, acceptedAt < at]);
  const jobs = platform.jobs.map(({ id, key, looks, acceptedAt, isAnswered }) => {
    const isNamed = texts.some((text) => text.includes(id));
    const isContinued = texts.some((text) => text.includes(`continues with export job ${id},`));
    return [id, key, looks, green(acceptedAt), isAnswered, isNamed, isContinued];
  });
  const shown = (_: string, value: unknown) => {
    if (value instanceof Map || value instanceof Set) {
      return [...value].sort(byName);
    }
    return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
  };
  const states = [...engine.cores].map(([name, core]) => [name, core.state]);
  const whole = JSON.stringify(
    [
      states,
      engine.plans,
      [...stores].map(([place, { texts }]) => [place, texts]),
      jobs,
      platform.lostAnswers,
      rest,
      last,
      lastRun?.errors,
    ],
    shown,
  );
  const names = new Map<string, string>();
  return whole
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
    .replace(/(\\*"(?:intendedAt|acceptedAt|platformTime|pid)\\*":)[\d.]+/g, "$1")
    .replace(/engine \d+/g, "")
    .replace(/[0-9a-f]{12}(?![0-9a-f])/g, (id) => {
      names.set(id, names.get(id) ?? `id ${names.size}`);
      return names.get(id) ?? "";
    });
}

function byName(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
