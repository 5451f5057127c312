import type { RawValues } from "../../provider/definitions/values";
import { parseEntryFileName } from "../../provider/journal/journal";
import { entriesToRemove } from "../support/entriesToRemove";
import { Machine, type Process, type RunStop, withoutChance } from "./machine";
import { foreignJobId, ModelPlatform, type PlatformHabits } from "./platform";
import { type Command, type DeclaredResource, isReplaced, isTargeted, oneExport, starts } from "./program";
import { type EngineHabits, type ModelRunResult, PulumiEngine } from "./pulumi";
import type { StackResource } from "./pulumiRun";
import { checkStarts, Ledger } from "./rules";
import { runtimeOn } from "./runtime";
import type { Budget, PlaySchedule, Schedule } from "./schedule";
import { ModelStore, type StoreHabits } from "./store";

/** A story to explore: a user's commands, the surroundings, and the possible disturbances. */
export interface Script {
  name: string;
  commands: readonly Command[];
  /** Default: one export. */
  program?: readonly DeclaredResource[];
  stops?: readonly RunStop[];
  budget: Budget;
  slow?: true;
  engine?: EngineHabits;
  platform?: PlatformHabits;
  store?: StoreHabits;
  /** The steps of several processes may be mixed. */
  interleaves?: boolean;
}

type Surroundings = Pick<Script, "program" | "engine" | "platform" | "store">;

export function surround(machine: Machine, script: Surroundings) {
  const platform = new ModelPlatform(machine, script.platform);
  const store = new ModelStore(machine, script.store);
  const worldOf = (process: Process) => runtimeOn(machine, store, process);
  const engine = new PulumiEngine(machine, platform, worldOf, script.program ?? oneExport, script.engine);
  return { machine, platform, store, engine };
}

type Here = ReturnType<typeof surround>;

class PulumiLedger extends Ledger {
  /** The resources that the next `up` must start. */
  readonly wantsNew: Set<string>;
  /** The triggers of each resource's last start, as JSON. */
  readonly triggers = new Map<string, string>();
  greenAt = 0;

  constructor(readonly program: readonly DeclaredResource[]) {
    super();
    this.wantsNew = new Set(program.filter(starts).map(({ name }) => name));
  }
}

export function playScript(script: Script): PlaySchedule {
  return (schedule: Schedule) =>
    withoutChance(async () => {
      const machine = new Machine(schedule, script.interleaves);
      const here = surround(machine, script);
      const { engine } = here;
      const ledger = new PulumiLedger(engine.program);
      for (const command of script.commands) {
        await runOnce(command, script.stops ?? [], here, ledger);
      }
      for (const orphan of engine.orphans) {
        await machine.drain(orphan);
      }
      // Without a journal, the next process cannot know that an answer was lost.
      if (!script.engine?.needsNoJournal) {
        await checkRecovery(script, here, ledger);
      }
      return [...ledger.problems];
    });
}

async function runOnce(
  command: Command,
  stops: readonly RunStop[],
  here: Here,
  ledger: PulumiLedger,
): Promise<ModelRunResult> {
  const { engine, platform, machine } = here;
  platform.arrive();
  const asked = ask(command, here, ledger);
  const savedBefore = new Set(ledger.everSaved);
  const result = await engine.run(command, stops);
  note(result, here, ledger);
  noteAlarms(result, here, ledger);
  if (command.kind === "destroy") {
    const isGone = (one: DeclaredResource) => isTargeted(command, one) && !engine.backend[one.name]?.saved;
    for (const { name } of ledger.program.filter((one) => starts(one) && isGone(one))) {
      ledger.wantsNew.add(name);
    }
  }
  if (result.outcome === "green") {
    noteGreen({ command, asked, savedBefore }, result, here, ledger);
  }
  const exports = ledger.program.filter(({ kind }) => kind === "StaticExport");
  const savedJobs = exports.flatMap(({ name }) => {
    const saved = engine.backend[name]?.saved;
    if (saved?.id === foreignJobId && saved.state.__adopted !== true) {
      ledger.problems.add(`TAKEN: ${foreignJobId} was begun by somebody else, and a resource has it as its own`);
    }
    return saved === undefined ? [] : [{ name, id: saved.id, isAnnounced: false }];
  });
  checkStarts(here, ledger, savedJobs, engine.isIdle);
  machine.schedule.log(`    ${result.outcome}: state has ${savedJobs.map(({ id }) => id).join(", ") || "nothing"}`);
  return result;
}

/** Counts the starts that this command asks for. Returns the names of the resources to start. */
function ask(command: Command, { engine }: Here, ledger: PulumiLedger): readonly string[] {
  if (command.kind !== "up") {
    return [];
  }
  const triggersIn = (name: string) => JSON.stringify(command.inputs?.[name]?.triggers ?? null);
  const hasOtherTriggers = (name: string) => {
    const saved = engine.backend[name]?.saved;
    const before = saved === undefined ? ledger.triggers.get(name) : JSON.stringify(saved.inputs.triggers ?? null);
    return before !== undefined && before !== triggersIn(name);
  };
  // A resource that no state contains cannot be replaced, so `--replace` does not count for it.
  const isNew = ({ name }: DeclaredResource) =>
    ledger.wantsNew.has(name) ||
    hasOtherTriggers(name) ||
    (isReplaced(command, name) && engine.backend[name]?.saved !== undefined);
  const asked = ledger.program.filter((one) => starts(one) && isTargeted(command, one) && isNew(one));
  for (const { name } of asked) {
    ledger.wantsNew.delete(name);
    ledger.triggers.set(name, triggersIn(name));
    ledger.asked++;
  }
  return asked.map(({ name }) => name);
}

function note({ texts }: ModelRunResult, { engine, machine }: Here, ledger: PulumiLedger): void {
  ledger.texts.push(...texts);
  for (const text of texts) {
    machine.schedule.log(`    ${text.split("\n")[0]}`);
  }
  for (const { saved, old = [] } of Object.values(engine.backend)) {
    for (const one of [...(saved ? [saved] : []), ...old]) {
      ledger.everSaved.add(one.id).add(intentOf(one));
    }
  }
}

/** The state contains the name of the journal entry. Returns the last part of this name. */
function intentOf({ state }: StackResource): string {
  return parseEntryFileName(String(state.__entry)).intent;
}

function noteAlarms({ problems, resumed }: ModelRunResult, here: Here, ledger: PulumiLedger): void {
  const { engine, platform, machine } = here;
  const { end, fault } = machine.schedule.happened;
  const codes = [...problems.values()].map(({ code }) => code);
  const wasKilled = end.some((how) => how === "kill" || how === "provider dies");
  const isAsked = codes.includes("DOCS_AMBIGUOUS_START");
  const nothingLost = !wasKilled && !fault.some(isOfStore) && platform.lostAnswers === 0;
  if (isAsked && nothingLost && !end.includes("engine dies")) {
    ledger.problems.add("FALSE ALARM: nothing was lost, and the run says that a start may have been");
  }
  // A provider cannot wait for a process on another machine, so this rule applies only to stories on one machine.
  if (isAsked && nothingLost && engine.isOneMachine && !engine.isIdle) {
    ledger.problems.add("FALSE ALARM: the process that sent the start still runs, and was not waited for");
  }
  if (engine.canExport && codes.includes("DOCS_JOURNAL") && resumed.length > 0) {
    ledger.problems.add("FALSE ALARM: the state could be asked, and the old job was taken up");
  }
}

const isOfStore = (fault: string) => /: (fails|is gone|is cut off, and .*)$/.test(fault);

/** A command, the resources that the command had to start, and the ids in the states before the command. */
interface Asked {
  command: Command;
  asked: readonly string[];
  savedBefore: ReadonlySet<string>;
}

function noteGreen(
  { command, asked, savedBefore }: Asked,
  { texts }: ModelRunResult,
  { engine, platform, machine }: Here,
  ledger: PulumiLedger,
): void {
  const { backend } = engine;
  const { end } = machine.schedule.happened;
  for (const name of asked) {
    const saved = backend[name]?.saved;
    const { id = "", acceptedAt } =
      platform.jobs.find((one) => one.id === saved?.id) ??
      platform.messages.find(({ key }) => saved !== undefined && key === intentOf(saved)) ??
      {};
    // A start may continue an earlier job in two cases: a run was cut off, or a retained resource has left the state.
    const isCutOff = end.some((how) => how !== "Ctrl-C");
    // In both cases, the run that continues the job must show the job's id.
    const isAnnounced =
      (isCutOff || !savedBefore.has(id)) && texts.some((text) => text.includes(saved?.state.jobId as string));
    if (acceptedAt !== undefined && acceptedAt < ledger.greenAt && !isAnnounced && !ledger.adopted.has(id)) {
      ledger.problems.add(`OLD: ${id} was started before the last green run, and is handed out as a new one`);
    }
  }
  for (const declared of command.kind === "up" ? ledger.program.filter((one) => isTargeted(command, one)) : []) {
    const saved = backend[declared.name]?.saved;
    if (saved === undefined) {
      ledger.problems.add(`NOTHING: a green run has left no ${declared.name}`);
    } else if (declared.of !== undefined && saved.state.jobId !== backend[declared.of]?.saved?.id) {
      ledger.problems.add(`STALE: ${declared.name} is of ${saved.state.jobId}`);
    }
  }
  ledger.greenAt = machine.time;
}

/** Checks that a run soon succeeds if the user follows the advice in the errors. */
async function checkRecovery(script: Script, here: Here, ledger: PulumiLedger): Promise<void> {
  const inputs = script.commands.findLast((one) => one.inputs !== undefined)?.inputs;
  const last = await runUntilGreen({ kind: "up", inputs }, here, ledger);
  if (last !== undefined) {
    await requireNoRequests(last, here, ledger);
  }
}

/** Follows the advice in the errors until a run succeeds. Returns the command of the successful run. */
async function runUntilGreen(first: Command, here: Here, ledger: PulumiLedger): Promise<Command | undefined> {
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
    // The program keeps an adopted job until the job is gone or has failed.
    const isOver = (name: string) =>
      ["DOCS_NOT_FOUND", "DOCS_JOB_FAILED"].includes(result.problems.get(name)?.code ?? "");
    const kept = Object.entries({ ...command.inputs, ...next.inputs }).filter(([name]) => !isOver(name));
    command = { ...next, kind: command.kind, inputs: Object.fromEntries(kept) };
  }
  ledger.problems.add(`STUCK: ${first.kind} is not green after four quiet runs`);
  return undefined;
}

/** Checks that a run after a successful run sends nothing. */
async function requireNoRequests({ inputs }: Command, here: Here, ledger: PulumiLedger): Promise<void> {
  const { requests } = here.platform;
  const { outcome } = await runOnce({ kind: "up", inputs }, [], here, ledger);
  const sent = here.platform.requests - requests;
  if (outcome !== "green" || sent > 0) {
    ledger.problems.add(`RESTLESS: the run after a green one is ${outcome}, and sends ${sent}`);
  }
}

/** Follows the advice in a run's errors. Returns the next command. */
async function advised(
  command: Command,
  { problems, resumed }: ModelRunResult,
  { engine, platform, store, machine }: Here,
  ledger: PulumiLedger,
): Promise<Command> {
  const inputs: Record<string, RawValues> = {};
  const replace: string[] = [];
  const unknown = platform.jobs.filter((job) => !platform.isLost(job) && !ledger.everSaved.has(job.id));
  for (const [name, { code, message }] of problems) {
    const entries = entriesToRemove(message);
    const keys = entries.flatMap((one) => store.keyOf(one) ?? []);
    const running = unknown.findLast(({ key }) => keys.includes(key));
    const given = command.inputs?.[name];
    // If the program contains a failed job's id, the user must remove the id. Any other failed job is replaced anyway.
    const isOver = code === "DOCS_NOT_FOUND" || (code === "DOCS_JOB_FAILED" && given?.jobId !== undefined);
    const isTakenUp = code === "DOCS_JOURNAL" && resumed.length > 0;
    if (running !== undefined) {
      machine.schedule.log(`    (a person adopts ${running.id})`);
      ledger.texts.push(running.id);
      ledger.adopted.add(running.id);
      inputs[name] = { jobId: running.id };
    } else if (entries.length > 0) {
      machine.schedule.log("    (a person removes the entries of what came to nothing)");
      for (const entry of entries) {
        store.texts.delete(entry);
      }
      if (isReplaced(command, name)) {
        replace.push(name);
      }
    } else if ((isOver || isTakenUp) && engine.backend[name]?.saved !== undefined) {
      replace.push(name);
    }
  }
  return { kind: "up", inputs, replace, refreshes: command.refreshes ?? false };
}
