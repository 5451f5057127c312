import type { BundleMirrorState } from "../../provider/definitions/bundleMirror";
import type { RawValues } from "../../provider/definitions/values";
import { entryNameParts } from "../../provider/journal/journal";
import { siteManifestName } from "../../provider/mirror/layouts/fileNames";
import { words } from "../../provider/support/words";
import { type DestinationHabits, isDisturbance, type ModelDestinations } from "./destinations";
import { copyOf, putBack } from "./lasting";
import { Machine } from "./machine";
import {
  brokenMirrors,
  brokenPlaces,
  destinationsSummary,
  filesLeft,
  litter,
  moveAway,
  savedMirrors,
} from "./mirrorRules";
import { type ModelPlatform, othersJob, type PlatformHabits } from "./platform";
import { type Command, type DeclaredResource, isReplaced, isTargeted, oneExport, starts } from "./program";
import type { End, EngineHabits, PulumiEngine, RunResult } from "./pulumi";
import type { StackResource } from "./pulumiRun";
import type { Budget, Schedule } from "./schedule";
import type { ModelStore, StoreHabits } from "./store";
import { advisesReplacement, codeOf, dismissible, hasCode, isContradiction } from "./told";

/** The commands of a person, the surroundings, and the possible faults. */
export interface Script {
  name: string;
  commands: readonly Command[];
  /** The program; by default one export. */
  program?: readonly DeclaredResource[];
  ends?: readonly End[];
  budget: Budget;
  /** True if it takes seconds in its short form, too. Such a script runs only in the campaign. */
  slow?: true;
  /** The limits of the short form, which every test run explores. */
  short?: { ends?: readonly End[]; budget?: Budget; program?: readonly DeclaredResource[] };
  engine?: EngineHabits;
  platform?: PlatformHabits;
  store?: StoreHabits;
  destination?: DestinationHabits;
  /** True if steps of one process may come between the steps of another. */
  interleaves?: boolean;
  /** True if two engines run the first command at the same time, without a lock. */
  twoEngines?: boolean;
}

/** Builds the models of a story. */
export interface StoryContext {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
  destinations: ModelDestinations;
  engine: PulumiEngine;
  /** A second engine on the same backend. */
  other: PulumiEngine;
}

/** The facts about a story that its models do not hold. */
interface Ledger {
  program: readonly DeclaredResource[];
  /** The number of jobs and messages that were asked for. */
  jobs: number;
  messages: number;
  /** The resources that the next `up` starts. */
  wantsNew: Set<string>;
  /** The triggers of each resource's last start. */
  triggers: Map<string, string>;
  /** The jobs that a person has found on the platform and given to a resource. */
  adopted: Set<string>;
  /** The end of the last successful run. */
  greenAt: number;
  /** Every id that a state has had, and the last part of the name of every journal entry that a state has named. */
  everSaved: Set<string>;
  texts: string[];
  problems: Set<string>;
  /** Mirrors that a green run has left, and that no later run was to touch. */
  soundMirrors: Set<string>;
  /** Mirrors whose removal failed, or whose change was cut off: a refresh tells what is left of them. */
  doubtedMirrors: Set<string>;
  /** Every mirror that a state has had, until it is gone as it should be. */
  everMirrors: Map<string, BundleMirrorState>;
  disturbed: { byKill: boolean; byOrphan: boolean; byStore: boolean };
}

/** Plays one story, and returns the rules that it broke. */
export async function tell(
  script: Script,
  schedule: Schedule,
  surround: (machine: Machine) => StoryContext,
): Promise<string[]> {
  const machine = new Machine(schedule, script.interleaves);
  machine.usesFiles = script.program?.some(({ inputs }) => inputs?.layout === "site") ?? false;
  const here = surround(machine);
  const { program = oneExport } = script;
  const ledger: Ledger = {
    program,
    jobs: 0,
    messages: 0,
    wantsNew: new Set(program.filter(starts).map(({ name }) => name)),
    triggers: new Map(),
    adopted: new Set(),
    greenAt: 0,
    everSaved: new Set(),
    texts: [],
    problems: new Set(),
    soundMirrors: new Set(),
    doubtedMirrors: new Set(),
    everMirrors: new Map(),
    disturbed: { byKill: false, byOrphan: false, byStore: false },
  };
  const { platform, store, destinations, engine, other } = here;
  const parts = [machine, platform, store, destinations, engine, other, ledger];
  if (schedule.beginning !== undefined) {
    putBack(parts, schedule.beginning);
  }
  for (const [index, command] of [...script.commands.entries()].slice(schedule.runs.length)) {
    const beside = script.twoEngines && index === 0;
    await runOnce(command, script.ends ?? [], here, ledger, beside);
    const isAtRest = engine.orphans.every(({ isAlive }) => !isAlive);
    if (isAtRest && schedule.isBeyond && schedule.rests(await summary(here, ledger), () => copyOf(parts))) {
      destinations.end();
      return [...ledger.problems];
    }
  }
  for (const orphan of engine.orphans) {
    await machine.drain(orphan);
  }
  await endInPeace(script, here, ledger);
  if (program.some(({ kind }) => kind === "BundleMirror")) {
    await requireSwept(script, here, ledger);
  }
  destinations.end();
  return [...ledger.problems];
}

/** @param beside true if another engine runs the same command at the same time. */
async function runOnce(
  command: Command,
  ends: readonly End[],
  here: StoryContext,
  ledger: Ledger,
  beside = false,
): Promise<RunResult> {
  const { machine, engine, platform } = here;
  machine.schedule.beginRun();
  platform.arrive();
  const asked = ask(command, here, ledger);
  for (const declared of ledger.program.filter((one) => isTargeted(command, one))) {
    ledger.soundMirrors.delete(declared.name);
  }
  const savedBefore = new Set(ledger.everSaved);
  const others = beside ? here.other.runBeside(command) : undefined;
  const result = await engine.run(command, ends);
  note(result, here, ledger);
  if (others !== undefined) {
    const other = await machine.run(machine.spawn("nobody"), undefined, others);
    if (other !== "ended") {
      note(other, here, ledger);
    }
  }
  noteAlarms(result, here, ledger);
  if (command.kind === "destroy") {
    const gone = ledger.program.filter(
      (one) => starts(one) && isTargeted(command, one) && !engine.backend[one.name]?.saved,
    );
    for (const { name } of gone) {
      ledger.wantsNew.add(name);
    }
  }
  if (result.outcome === "green") {
    noteGreen({ command, asked, savedBefore }, result, here, ledger);
  }
  check(here, ledger);
  await checkMirrors(command, result, here, ledger);
  return result;
}

/** @returns the names of the resources that this command asks to start. */
function ask(command: Command, { engine }: StoryContext, ledger: Ledger): readonly string[] {
  if (command.kind !== "up") {
    return [];
  }
  // A resource that no state has cannot be replaced. Then this is a create like any other.
  const isNew = (declared: DeclaredResource) =>
    ledger.wantsNew.has(declared.name) ||
    hasOtherTriggers(command, declared, engine, ledger) ||
    (isReplaced(command, declared.name) && engine.backend[declared.name]?.saved !== undefined);
  const asked = ledger.program.filter((declared) => isTargeted(command, declared) && isNew(declared));
  for (const { name, kind } of asked) {
    ledger.wantsNew.delete(name);
    ledger.triggers.set(name, triggersIn(command, name));
    ledger[kind === "AgentMessage" ? "messages" : "jobs"]++;
  }
  return asked.map(({ name }) => name);
}

function triggersIn({ inputs = {} }: Command, name: string): string {
  return JSON.stringify(inputs[name]?.triggers ?? null);
}

function hasOtherTriggers(
  command: Command,
  { name }: DeclaredResource,
  { backend }: PulumiEngine,
  { triggers }: Ledger,
): boolean {
  const saved = backend[name]?.saved;
  const before = saved === undefined ? triggers.get(name) : JSON.stringify(saved.inputs.triggers ?? null);
  return before !== undefined && before !== triggersIn(command, name);
}

function note({ texts, outcome }: RunResult, { engine, machine }: StoryContext, ledger: Ledger): void {
  ledger.texts.push(...texts);
  const told = machine.schedule.story.join("\n");
  ledger.disturbed.byKill ||= /^! (kill|provider dies)/m.test(told);
  ledger.disturbed.byOrphan ||= /^! engine dies/m.test(told);
  ledger.disturbed.byStore ||= /\[(fails|is gone)/.test(told);
  for (const text of texts) {
    machine.schedule.tell(`    ${text.split("\n")[0]}`);
  }
  const saved = Object.values(engine.backend).flatMap(({ saved, old = [] }) => [...(saved ? [saved] : []), ...old]);
  machine.schedule.tell(`    ${outcome}: state has ${saved.map(({ id }) => id).join(", ") || "nothing"}`);
  for (const one of saved) {
    ledger.everSaved.add(one.id).add(intentOf(one));
  }
}

/** The last part of the name of the entry that a state names. */
function intentOf({ state }: StackResource): string {
  return entryNameParts(String(state.__entry)).intent;
}

function noteAlarms({ texts }: RunResult, { engine, platform, machine }: StoryContext, ledger: Ledger): void {
  const { byKill, byOrphan, byStore } = ledger.disturbed;
  const isAsked = hasCode("DOCS_AMBIGUOUS_START", texts);
  const nothingLost = !byKill && !byStore && platform.lostAnswers === 0;
  if (isAsked && nothingLost && !byOrphan) {
    ledger.problems.add("FALSE ALARM: nothing was lost, and the run says that a start may have been");
  }
  // Nobody can wait for a process on another machine.
  const isOneMachine = machine.schedule.story.every((line) => !line.includes("on another machine"));
  if (isAsked && nothingLost && isOneMachine && engine.orphans.some(({ isAlive }) => isAlive)) {
    ledger.problems.add("FALSE ALARM: the process that sent the start still runs, and was not waited for");
  }
  if (engine.canExport && texts.some(isContradiction)) {
    ledger.problems.add("FALSE ALARM: the state could be asked, and the old job was taken up");
  }
}

/** Runs a command, and notes which starts it asks for, and which jobs the state had before. */
interface Asked {
  command: Command;
  asked: readonly string[];
  savedBefore: ReadonlySet<string>;
}

function noteGreen(
  { command, asked, savedBefore }: Asked,
  { texts }: RunResult,
  { engine, platform, store, machine }: StoryContext,
  ledger: Ledger,
): void {
  const { backend } = engine;
  for (const name of asked) {
    const saved = backend[name]?.saved;
    const { id = "", acceptedAt } =
      platform.jobs.find((one) => one.id === saved?.id) ??
      platform.messages.find(({ key }) => saved !== undefined && key === intentOf(saved)) ??
      {};
    // A plan asks no bucket, and names nothing of a running process; a destroy asks nothing. Then the later run that
    // takes up the job must say so.
    const isDestroyed = machine.schedule.story.some((line) => line.includes(": destroy"));
    const mayBeTold = store.habits.isRemote || ledger.disturbed.byOrphan || isDestroyed;
    // A retained resource leaves the state without a call, together with the job of a killed run.
    const isCutOff = /^! (kill|engine dies|Ctrl-C twice|provider dies)/m.test(machine.schedule.story.join("\n"));
    const isTold =
      mayBeTold &&
      (isCutOff || !savedBefore.has(id)) &&
      texts.some((text) => text.includes(saved?.state.jobId as string));
    if (acceptedAt !== undefined && acceptedAt < ledger.greenAt && !isTold && !ledger.adopted.has(id)) {
      ledger.problems.add(`OLD: ${id} was started before the last green run, and is handed out as a new one`);
    }
  }
  if (command.kind === "up") {
    for (const declared of ledger.program.filter((one) => isTargeted(command, one))) {
      const saved = backend[declared.name]?.saved;
      if (saved === undefined) {
        ledger.problems.add(`NOTHING: a green run has left no ${declared.name}`);
      } else if (declared.of !== undefined && saved.state.jobId !== backend[declared.of]?.saved?.id) {
        ledger.problems.add(`STALE: ${declared.name} is of ${saved.state.jobId}`);
      }
    }
  }
  ledger.greenAt = machine.time;
}

async function checkMirrors(
  command: Command,
  { outcome, isCutOff = false }: RunResult,
  { engine, destinations, machine }: StoryContext,
  { soundMirrors, doubtedMirrors, everMirrors, texts, disturbed, problems }: Ledger,
): Promise<void> {
  const saved = savedMirrors(engine.backend);
  const states = saved.map(([, state]) => state);
  for (const state of states) {
    everMirrors.set(`${state.__key} ${state.jobId}`, state);
  }
  if (outcome === "ended" || (outcome === "red" && (command.kind === "destroy" || isCutOff))) {
    for (const [name] of saved.filter(([of]) => command.targets?.includes(of) ?? true)) {
      doubtedMirrors.add(name);
    }
  }
  if (outcome === "green" && (command.kind === "refresh" || command.refreshes)) {
    doubtedMirrors.clear();
  }
  if (outcome === "green" && command.kind !== "refresh") {
    for (const [name] of saved.filter(([of]) => !doubtedMirrors.has(of))) {
      soundMirrors.add(name);
    }
  }
  const sound = saved.filter(([name]) => soundMirrors.has(name));
  // A removal that leaves files to others says so, and a process without an engine may write at any time.
  const isTold = texts.some((text) => text.includes("names other mirrors of the same bundle"));
  const isDone = !isTold && !disturbed.byOrphan && outcome === "green" && command.kind !== "refresh";
  const left = isDone ? await filesLeft(destinations, states, everMirrors.values()) : [];
  // A later mirror of the same name is another one.
  for (const [key, { __key }] of isDone ? everMirrors : []) {
    if (!saved.some(([, state]) => state.__key === __key)) {
      everMirrors.delete(key);
    }
  }
  // One fault is cleared away by the run that meets it. A bucket is not asked after a Ctrl-C, and may have what was being sent.
  const hasRemoved = Object.values(engine.backend).some(({ old = [] }) => old.length > 0);
  const isUp = outcome === "red" && !isCutOff && command.kind === "up" && !hasRemoved;
  const isMended = isUp && machine.schedule.disturbances === 1;
  if (outcome === "red" && saved.length > 0 && machine.schedule.disturbances === 0) {
    problems.add(`REFUSED: nothing was disturbed, and the run is red: ${texts.at(-1)?.split("\n")[0]}`);
  }
  for (const problem of [
    ...(isMended
      ? litter(destinations, machine.schedule.story.includes("! Ctrl-C")).map(
          (name) => `LITTER: ${name} stands there without its archive`,
        )
      : []),
    ...(await brokenMirrors(destinations, sound)),
    // Nobody waits for a process without an engine, which may go on where another one has begun.
    ...brokenPlaces(destinations, states).filter((one) => !disturbed.byOrphan || !one.startsWith("TORN")),
    ...left,
  ]) {
    problems.add(problem);
  }
}

function check({ engine, platform, store }: StoryContext, ledger: Ledger): void {
  const { everSaved, problems, program } = ledger;
  const isWarned = ledger.texts.some((text) => text.includes("cannot be used ("));
  const mayStart = ledger.jobs + platform.lost();
  if (platform.jobs.length > mayStart && !isWarned) {
    problems.add(`DOUBLE: ${platform.jobs.length} starts, ${mayStart} asked for`);
  }
  if (platform.messages.length > ledger.messages && !isWarned) {
    problems.add(`DOUBLE: ${platform.messages.length} messages, ${ledger.messages} asked for`);
  }
  const exports = program.filter(({ kind }) => kind === "StaticExport");
  const held = exports.flatMap(({ name }) => engine.backend[name]?.saved?.id ?? []);
  if (new Set(held).size < held.length) {
    problems.add(`SHARED: two resources have the same job of ${held}`);
  }
  const saved = exports.map(({ name }) => engine.backend[name]?.saved);
  if (saved.some((one) => one?.id === othersJob && one.state.__adopted !== true)) {
    problems.add(`TAKEN: ${othersJob} was begun by somebody else, and a resource has it as its own`);
  }
  if (engine.orphans.some(({ isAlive }) => isAlive)) {
    return;
  }
  const journal = [...store.texts.values()].join();
  // Nobody misses a failed job.
  for (const { id, key, isAnswered } of [
    ...platform.jobs.filter((job) => !platform.isLost(job)),
    ...platform.messages,
  ]) {
    const isKnown =
      everSaved.has(id) ||
      everSaved.has(key) ||
      // A message whose answer was lost has a made-up id.
      (id.startsWith("message") && [journal, ...everSaved].some((one) => one.includes("agent-1/"))) ||
      journal.includes(`"${id}"`) ||
      // The journal has only the intent if the answer was never recorded.
      journal.includes(key) ||
      [id, ...store.idsOf(key)].some((one) => ledger.texts.some((text) => text.includes(one)));
    // The journal has only the intent if the answer was lost.
    if (isAnswered && !isKnown && !isWarned) {
      problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
    }
  }
  if (store.everPut.some((text) => /svc_|a\.test|urn:/.test(text))) {
    problems.add("SECRET: an entry holds a key, a domain or a URN");
  }
}

/** A person who follows the messages of the runs must be done after a few runs. */
async function endInPeace(script: Script, here: StoryContext, ledger: Ledger): Promise<void> {
  const inputs = script.commands.findLast((one) => one.inputs !== undefined)?.inputs;
  // The engine tells of what was cut off, and advises a refresh.
  const last = await comeToGreen({ kind: "up", inputs, refreshes: ledger.doubtedMirrors.size > 0 }, here, ledger);
  if (last === undefined) {
    ledger.problems.add(`STUCK: ${script.name} is not green after four quiet runs`);
  } else {
    await requireStill(last, here, ledger);
  }
}

/** Runs a command, and then does as its errors advise, until a run is green. @returns the command of that run. */
async function comeToGreen(first: Command, here: StoryContext, ledger: Ledger): Promise<Command | undefined> {
  const { schedule } = here.machine;
  let command = first;
  for (let quiet = 0; quiet < 4; ) {
    const { disturbances } = schedule;
    const result = await runOnce(command, [], here, ledger);
    const isQuiet = schedule.disturbances === disturbances;
    quiet += isQuiet ? 1 : 0;
    if (result.outcome === "green" && isQuiet) {
      return command;
    }
    here.platform.arrive();
    const next = await advised(command, result, here, ledger);
    // An adopted job stays in the program until it turns out to have failed.
    const kept = Object.entries({ ...command.inputs, ...next.inputs }).filter(([name]) => !isOver(name, result));
    command = { ...next, kind: command.kind, inputs: Object.fromEntries(kept) };
  }
  return undefined;
}

/** If nothing has changed since a successful run, the next run sends nothing. */
async function requireStill({ inputs }: Command, here: StoryContext, ledger: Ledger): Promise<void> {
  const { requests } = here.platform;
  const { operations } = here.destinations;
  const { outcome } = await runOnce({ kind: "up", inputs }, [], here, ledger);
  const sent = here.platform.requests - requests + here.destinations.operations - operations;
  if (outcome !== "green" || sent > 0) {
    ledger.problems.add(`RESTLESS: the run after a green one is ${outcome}, and sends ${sent}`);
  }
}

/**
 * Makes and destroys every mirror that was ever wanted. Each run takes over the files that a killed run has left of the
 * same mirror. So nothing is left at the end, except files that a text has named.
 */
async function requireSwept({ commands }: Script, here: StoryContext, ledger: Ledger): Promise<void> {
  const { destinations, machine } = here;
  const wanted = new Set([undefined, ...commands.map(({ inputs }) => inputs)]);
  const made = [...wanted].map((inputs): Command => ({ kind: "up", inputs }));
  machine.schedule.calm();
  for (const command of [...made, { kind: "destroy" } as const]) {
    if ((await comeToGreen(command, here, ledger)) === undefined) {
      ledger.problems.add(`STUCK: ${command.kind} is not green after four quiet runs`);
    }
  }
  const told = ledger.texts.join("\n");
  // A list stands for the files that it names.
  const listsOf = (name: string) => [name, name.replace(/\.tar(\.sha256)?$/, ".json"), siteManifestName];
  for (const name of destinations.files.keys()) {
    const isOthers = destinations.habits.others?.includes(name);
    if (!isOthers && !listsOf(name.split("/").at(-1) ?? "").some((list) => told.includes(list))) {
      ledger.problems.add(`LEFT: ${name} stays after all mirrors are destroyed, and no text has named it`);
    }
  }
}

/** Does what a person does who looks on the platform for the subject of each error. */
async function advised(
  command: Command,
  { problems }: RunResult,
  { engine, platform, store, destinations, machine }: StoryContext,
  ledger: Ledger,
): Promise<Command> {
  const inputs: Record<string, RawValues> = {};
  const notStarted: string[] = [];
  const replace: string[] = [];
  const unknown = platform.jobs.filter((job) => !platform.isLost(job) && !ledger.everSaved.has(job.id));
  for (const [name, text] of problems) {
    const code = codeOf(text);
    const codes = dismissible(text);
    const keys = codes.flatMap((code) => store.keyOf(code) ?? []);
    const running = unknown.findLast(({ key }) => keys.includes(key));
    if (running !== undefined) {
      machine.schedule.tell(`    (a person adopts ${running.id})`);
      ledger.texts.push(running.id);
      ledger.adopted.add(running.id);
      inputs[name] = { jobId: running.id };
    } else if (codes.length > 0) {
      machine.schedule.tell("    (a person says that it came to nothing)");
      notStarted.push(...codes);
      if (isReplaced(command, name)) {
        replace.push(name);
      }
    } else if (isReplacementDue(text, command.inputs?.[name]) && engine.backend[name]?.saved !== undefined) {
      replace.push(name);
    } else if (code === "DOCS_DESTINATION" && text.includes(words.deleteFirst)) {
      machine.schedule.tell("    (a person gives it another destination)");
      inputs[name] = { ...command.inputs?.[name], destination: "file:///another" };
    } else if (code === "DOCS_DESTINATION" && !isDisturbance(text)) {
      machine.schedule.tell("    (a person moves the files away that no mirror has)");
      const { inputs: given } = engine.program.find((one) => one.name === name) ?? {};
      const saved = savedMirrors(engine.backend).map(([, state]) => state);
      await moveAway(destinations, saved, command.inputs?.[name]?.destination ?? given?.destination);
    }
  }
  return { kind: "up", inputs, notStarted, replace, refreshes: command.refreshes ?? false };
}

/** True if the job is gone, or has failed. */
function isOver(name: string, { problems }: RunResult): boolean {
  return ["DOCS_NOT_FOUND", "DOCS_JOB_FAILED"].includes(codeOf(problems.get(name) ?? "") ?? "");
}

/** A job that has failed is started anew by itself, if nobody has given its id. */
function isReplacementDue(text: string, inputs: RawValues = {}): boolean {
  const code = codeOf(text);
  const isAdopted = inputs.jobId !== undefined;
  return advisesReplacement(text) || code === "DOCS_NOT_FOUND" || (code === "DOCS_JOB_FAILED" && isAdopted);
}

/** Returns everything on which the future depends, without times, and with renamed ids. */
async function summary({ engine, platform, store, destinations }: StoryContext, ledger: Ledger): Promise<string> {
  const { greenAt, everSaved, disturbed, wantsNew } = ledger;
  const jobs = platform.jobs.map(({ acceptedAt, ...job }) => [job, acceptedAt < greenAt]);
  const messages = platform.messages.map(({ acceptedAt, ...message }) => [message, acceptedAt < greenAt]);
  const texts = [...store.texts].sort(([a], [b]) => (a < b ? -1 : 1));
  const told = platform.jobs.filter(({ id }) => ledger.texts.some((text) => text.includes(id))).map(({ id }) => id);
  const whole = JSON.stringify([
    engine.backend,
    texts,
    jobs,
    messages,
    [ledger.jobs, ledger.messages],
    [...wantsNew],
    [...everSaved],
    disturbed,
    told,
    platform.lostAnswers,
    await destinationsSummary(destinations, engine.backend),
    [...ledger.soundMirrors, ...ledger.doubtedMirrors],
    [...ledger.everMirrors],
  ]);
  const names = new Map<string, string>();
  return whole
    .replace(
      /"(writtenAt|intendedAt|acceptedAt|platformTime|__acceptedAt|startedAt|completedAt|expiresAt|issuedAt|__unsettledSince|pid|engine)\\*":(\\*"[^"]*\\*"|[\d.]+)/g,
      "",
    )
    .replace(/\\"(intendedAt|acceptedAt|platformTime|pid)\\":[\d.]+/g, "")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
    .replace(/write \d+/g, "")
    .replace(/signature=[\d.]+/g, "")
    .replace(/[0-9a-f]{32,64}|[0-9a-f]{12}(?![0-9a-f])/g, (id) => {
      names.set(id, names.get(id) ?? `id ${names.size}`);
      return names.get(id) ?? "";
    });
}
