import { entriesToRemove } from "../support/entriesToRemove";
import type { Core, ObjectRecord, PlanFile } from "../support/terraform/core";
import { errorCodesIn } from "./errorCodesIn";
import { Machine, type Process, type RunStop, withoutChance } from "./machine";
import { ModelPlatform, type PlatformHabits } from "./platform";
import { checkStarts, Ledger } from "./rules";
import { runtimeOn } from "./runtime";
import type { Budget, PlaySchedule } from "./schedule";
import { ModelStore, type StoreHabits } from "./store";
import {
  exportType,
  saveRefusal,
  type TerraformCommand,
  TerraformEngine,
  type TerraformHabits,
  type TerraformRun,
} from "./terraform";

export interface TerraformScript {
  name: string;
  /** `as told` is an apply that follows the advice in the errors of the previous run. */
  commands: readonly (TerraformCommand | "as told")[];
  slow?: true;
  stops?: readonly RunStop[];
  budget: Budget;
  terraform?: TerraformHabits;
  platform?: PlatformHabits;
  store?: StoreHabits;
  interleaves?: boolean;
  /** The first two commands run at the same time. */
  areBeside?: boolean;
}

type Here = ReturnType<typeof surround>;

function surround(machine: Machine, script: Pick<TerraformScript, "platform" | "store" | "terraform">) {
  const platform = new ModelPlatform(machine, script.platform);
  const store = new ModelStore(machine, script.store);
  store.texts.set(foreign.name, foreign.text);
  const worldOf = (process: Process) => runtimeOn(machine, store, process);
  return { machine, platform, store, engine: new TerraformEngine(machine, platform, worldOf, script.terraform) };
}

/** A start that the user has asked for. No state contains its job yet. */
interface Wish {
  triggers: string | undefined;
  /** The job or message that the start replaces. */
  replaces: string | undefined;
}

class TerraformLedger extends Ledger {
  readonly wishes = new Map<string, Wish>();
  /**
   * The jobs and messages that existed when a run was cut off. The next run does not know whether a state contains
   * them.
   */
  readonly cutOff = new Set<string>();
  /**
   * The jobs that two resources have. The second resource continued the first one's job, in a run that did not read the
   * first resource. So the provider could only warn the user.
   */
  readonly shared = new Set<string>();
  /** The number of journal entries that the user has removed after an error. */
  dismissed = 0;
  settled = 0;
  /** The addresses for which the user has removed journal entries since the last run. */
  readonly answered = new Set<string>();
  readonly tainted = new Set<string>();
  last: TerraformCommand = { kind: "apply" };
  lastErrors: TerraformRun["messages"]["errors"] = [];
  outcome: TerraformRun["outcome"] = "green";
}

const foreign = { name: `${"f".repeat(32)}-${"0".repeat(32)}.${"0".repeat(12)}`, text: '{"of":"others"}' };

export function playTerraformScript(script: TerraformScript): PlaySchedule {
  return (schedule) =>
    withoutChance(async () => {
      const machine = new Machine(schedule, script.interleaves);
      const here = surround(machine, script);
      const { engine } = here;
      const ledger = new TerraformLedger();
      const [first, second] = script.commands;
      if (script.areBeside && typeof first === "object" && typeof second === "object") {
        const run = (command: TerraformCommand) => engine.runBeside(command, (plan) => ask(command, plan, ledger));
        const runs = await machine.run(machine.spawn("nobody"), undefined, Promise.all([run(first), run(second)]));
        for (const { messages, early = [] } of Array.isArray(runs) ? runs : []) {
          ledger.texts.push(...[...messages.errors, ...messages.warnings].map(({ text }) => text));
          for (const id of messages.warnings.map(({ text }) => continued(text)).filter((one) => !early.includes(one))) {
            ledger.shared.add(id);
          }
          for (const { text } of messages.errors.filter((error) => isAboutLostStart(error.text))) {
            checkError(text, false, [], here, ledger);
          }
        }
        check(here, ledger);
      }
      for (const command of script.areBeside ? [] : script.commands) {
        await runOnce(command === "as told" ? advised(here, ledger) : command, script.stops ?? [], here, ledger);
      }
      for (const orphan of engine.orphans) {
        await machine.drain(orphan);
      }
      await checkRecovery(script, here, ledger);
      return [...ledger.problems];
    });
}

async function runOnce(
  command: TerraformCommand,
  stops: readonly RunStop[],
  here: Here,
  ledger: TerraformLedger,
): Promise<void> {
  const { machine, engine, platform } = here;
  for (const address of ["taint", "untaint"].includes(command.kind) ? (command.of ?? []) : []) {
    ledger.tainted[command.kind === "taint" ? "add" : "delete"](keyOf(command, address));
  }
  const wasAlone = engine.isIdle;
  const before = idsOf(engine.core(command.state));
  const unread = unreadIn(command, engine);
  const lostBefore = platform.lostAnswers;
  const { outcome, messages, resumed, plan } = await engine.run(command, stops, (planned) =>
    ask(command, planned, ledger),
  );
  for (const id of messages.warnings.map(({ text }) => continued(text)).filter((one) => unread.has(one))) {
    ledger.shared.add(id);
  }
  const core = engine.core(command.state);
  ledger.texts.push(...[...messages.errors, ...messages.warnings].map(({ text }) => text));
  for (const line of [...messages.errors, ...messages.warnings].map(({ text }) => text.split("\n")[0])) {
    machine.schedule.log(`    ${line}`);
  }
  const seen = [...idsOf(core)].map(([address, id]) => `${address} has ${id}`);
  machine.schedule.log(`    ${outcome}: ${seen.join(", ") || "the state is empty"}`);
  const isCutOff = ({ text }: { text: string }) =>
    text === saveRefusal || errorCodesIn(text).includes("DOCS_INTERRUPTED");
  if (outcome === "ended" || !wasAlone || messages.errors.some(isCutOff)) {
    for (const { id, key } of [...platform.jobs, ...platform.messages]) {
      ledger.cutOff.add(id).add(key.slice(-12));
    }
  }
  for (const fault of messages.faults) {
    ledger.problems.add(`CORE: ${fault}`);
  }
  deliver(command, outcome, plan, before, here, ledger);
  for (const { address, text } of messages.errors) {
    checkError(text, wasAlone, resumed, here, ledger);
    const isAgain = ledger.answered.has(address) && platform.lostAnswers === lostBefore;
    if (isAgain && isAboutLostStart(text)) {
      ledger.problems.add(`FALSE ALARM: a person has said that the start of ${address} came to nothing`);
    }
  }
  ledger.answered.clear();
  if (!["taint", "untaint", "apply the plan"].includes(command.kind)) {
    ledger.last = command;
  }
  Object.assign(ledger, { lastErrors: messages.errors, outcome });
  if (outcome === "green") {
    ledger.settled = ledger.adopted.size + ledger.dismissed;
  }
  check(here, ledger);
}

/** Returns the jobs that a run of this command does not read. They are in another state, or outside `target`. */
function unreadIn({ state: used = "one", target }: TerraformCommand, { cores }: TerraformEngine): ReadonlySet<string> {
  const isUnread = (state: string, address: string) => state !== used || target?.includes(address) === false;
  const ids = [...cores].flatMap(([state, core]) => [...idsOf(core)].filter(([address]) => isUnread(state, address)));
  return new Set(ids.map(([, id]) => id));
}

/**
 * Counts the starts that a plan asks for. Several plans may ask for the same start before a run delivers it. Such a
 * start counts once.
 */
function ask(command: TerraformCommand, { changes, prior }: PlanFile, ledger: TerraformLedger): void {
  const { triggers, adopts = {}, imports = {} } = command;
  for (const { address, action } of changes) {
    const key = keyOf(command, address);
    const isAdopted = adopts[address] !== undefined || imports[address] !== undefined;
    if ((action !== "create" && action !== "replace") || isAdopted) {
      continue;
    }
    const replaces = action === "replace" ? idIn(prior.get(address)?.current) : undefined;
    const wish = ledger.wishes.get(key);
    const isSame =
      wish !== undefined && wish.triggers === triggers && (replaces === undefined || wish.replaces === replaces);
    if (!isSame) {
      ledger.asked++;
      ledger.wishes.set(key, { triggers, replaces });
    }
  }
}

/** Records what the states contain after a run. Checks that a replaced resource has a newer job than before the run. */
function deliver(
  command: TerraformCommand,
  outcome: TerraformRun["outcome"],
  plan: PlanFile | undefined,
  before: ReadonlyMap<string, string>,
  { engine, platform }: Here,
  ledger: TerraformLedger,
): void {
  for (const [state, core] of engine.cores) {
    for (const { current, deposed } of core.state.values()) {
      for (const object of [...deposed, ...(current ? [current] : [])]) {
        ledger.everSaved.add(idIn(object) ?? "");
      }
    }
    for (const [address, id] of idsOf(core)) {
      const key = keyOf({ state }, address);
      if (ledger.wishes.get(key)?.replaces !== id) {
        ledger.wishes.delete(key);
      }
      if (core.state.get(address)?.current?.tainted === false) {
        ledger.tainted.delete(key);
      } else if (!ledger.tainted.has(key)) {
        ledger.problems.add(`TAINTED: ${address}, and no person has asked for it`);
      }
    }
  }
  if (outcome !== "green" || command.kind === "plan") {
    return;
  }
  const number = (id: string | undefined) => platform.jobs.findIndex((job) => job.id === id);
  const now = idsOf(engine.core(command.state));
  for (const { address, action } of plan?.changes ?? []) {
    const [old, id] = [before.get(address), now.get(address)];
    const isOurs = id !== undefined && !ledger.adopted.has(id) && number(id) >= 0;
    const isOld = old === id || (!command.createFirst && number(id) < number(old));
    if (action === "replace" && isOurs && old !== undefined && isOld) {
      ledger.problems.add(`OLD: ${address} had ${old}, a new one was asked for, and it has ${id}`);
    }
  }
  for (const address of command.kind === "destroy" ? ledger.wishes.keys() : []) {
    ledger.wishes.delete(address);
  }
}

/** Adds a problem to the ledger if an error is a false alarm, which asks the user for a needless action. */
function checkError(
  text: string,
  isAlone: boolean,
  resumed: readonly string[],
  { machine, platform, engine }: Here,
  ledger: TerraformLedger,
): void {
  const { disturbances, happened } = machine.schedule;
  const isUndisturbed = disturbances === 0 && ledger.texts.every((one) => entriesToRemove(one).length === 0);
  const isEnded = [...happened.end, ...happened.fault.filter((fault) => fault.includes("is cut off"))].length > 0;
  const isSettled = !isEnded && platform.lostAnswers <= ledger.settled;
  if (isSettled && isAboutLostStart(text)) {
    ledger.problems.add("FALSE ALARM: a person has told about each lost answer, and is asked again");
  }
  if (isUndisturbed && !platform.lost()) {
    ledger.problems.add(`FALSE ALARM: nothing was disturbed: ${text.split("\n")[0]}`);
  }
  const isAboutJournal = errorCodesIn(text).includes("DOCS_JOURNAL") && !hasStoreFailed(machine);
  if (isAlone && engine.isIdle && isAboutJournal) {
    const savedJobs = [...engine.cores.values()].flatMap((core) => [...idsOf(core).values()]);
    const isTakenUp = ledger.cutOff.size > 0 && savedJobs.some((id) => resumed.includes(id));
    if (!isTakenUp) {
      ledger.problems.add(`FALSE ALARM: no other run is there: ${text.split("\n")[0]}`);
    }
  }
}

const continued = (text: string) => /^continues with export job (\S+),/.exec(text)?.[1] ?? "";
const isAboutLostStart = (text: string) => errorCodesIn(text).includes("DOCS_AMBIGUOUS_START");

function check(here: Here, ledger: TerraformLedger): void {
  const { machine, engine, store } = here;
  const savedJobs = [...engine.cores].flatMap(([state, core]) =>
    [...idsOf(core)].map(([address, id]) => ({
      name: `${state} ${address}`,
      id,
      isAnnounced: [ledger.adopted, ledger.cutOff, ledger.shared].some((ids) => ids.has(id)),
    })),
  );
  // If a store's fault prevents the record of a job, the provider reports the job. If Terraform has already ended,
  // nobody sees the report. So no job counts as lost after such a fault.
  checkStarts(here, ledger, savedJobs, engine.isIdle && !hasStoreFailed(machine));
  if (store.texts.get(foreign.name) !== foreign.text) {
    ledger.problems.add("FOREIGN: an entry of others was touched");
  }
}

/**
 * Plays a user who follows the advice in the errors. Checks that a run soon succeeds, and that a later plan shows no
 * change.
 */
async function checkRecovery(script: TerraformScript, here: Here, ledger: TerraformLedger): Promise<void> {
  const used = new Map<string, TerraformCommand>();
  for (const command of script.commands) {
    if (typeof command === "object" && ["apply", "plan"].includes(command.kind)) {
      used.set(command.state ?? "one", command);
    }
  }
  for (const { of: _, refresh: __, target: ___, ...rest } of used.values()) {
    Object.assign(ledger, { last: { ...rest, kind: "apply" }, lastErrors: [], outcome: "red" });
    for (let run = 0; run < 5 + (script.budget.fault ?? 0) && isRed(ledger); run++) {
      await runOnce(advised(here, ledger), [], here, ledger);
    }
    if (isRed(ledger)) {
      ledger.problems.add(`STUCK: ${script.name} is not green after five quiet runs`);
      continue;
    }
    // After an import, this apply saves the program's values. After an interrupted wait, it continues the wait.
    await runOnce(advised(here, ledger), [], here, ledger);
    const { plan } = await here.engine.run({ ...ledger.last, kind: "plan" }, []);
    for (const { address, action } of plan?.changes.filter(({ isDue }) => isDue) ?? []) {
      ledger.problems.add(`RESTLESS: ${action} of ${address}, where nothing has changed`);
    }
  }
}

const isRed = ({ outcome }: TerraformLedger) => outcome !== "green";

/**
 * Follows the advice in the last errors, and returns the next command. If the platform has the job of an unanswered
 * start, the command adopts this job. Otherwise, the user removes the journal entry.
 */
function advised({ platform, machine, store }: Here, ledger: TerraformLedger): TerraformCommand {
  const { of: _, imports: __, adopts: earlier = {}, ...last } = ledger.last;
  const adopts = { ...earlier };
  const journal = [...store.texts.values()].join();
  const isFree = ({ id }: { id: string }) =>
    !ledger.everSaved.has(id) && !journal.includes(`"${id}"`) && !Object.values(adopts).includes(id);
  for (const { address, text } of ledger.lastErrors) {
    if (errorCodesIn(text).some((code) => code === "DOCS_JOB_FAILED" || code === "DOCS_NOT_FOUND")) {
      delete adopts[address];
    }
    const entries = entriesToRemove(text);
    const isAbout = ({ key }: { key: string }) => entries.some((entry) => entry.endsWith(key.slice(-12)));
    const free = platform.jobs.filter((job) => !platform.isLost(job) && isFree(job));
    const job = free.find(isAbout) ?? free[0];
    if (entries.length > 0 && address.startsWith(exportType) && job !== undefined) {
      machine.schedule.log(`    (a person adopts ${job.id} for ${address})`);
      ledger.adopted.add(job.id);
      ledger.texts.push(job.id);
      adopts[address] = job.id;
    } else if (entries.length > 0) {
      machine.schedule.log(`    (a person removes ${entries}, which came to nothing)`);
      for (const entry of entries) {
        store.texts.delete(entry);
      }
      ledger.dismissed += entries.length;
      ledger.answered.add(address);
      ledger.asked += [...platform.jobs, ...platform.messages].filter(isAbout).length;
    }
  }
  // The entry of an adopted job stays in the journal until the adoption is complete. Until then, a run may ask about
  // the entry again, for another resource with the same arguments. The question is no false alarm.
  if (Object.keys(adopts).length > Object.keys(earlier).length) {
    ledger.answered.clear();
  }
  return { ...last, kind: "apply", adopts };
}

function hasStoreFailed({ schedule }: Machine): boolean {
  return schedule.happened.fault.some((fault) => /: (fails|stored, and answered 503|is cut off, and .*)$/.test(fault));
}

function keyOf({ state = "one" }: Pick<TerraformCommand, "state">, address: string): string {
  return `${state} ${address}`;
}

/** Returns the jobs and messages in a state, by address. */
function idsOf(core: Core): Map<string, string> {
  const objects = [...core.state].map(([address, { current }]) => [address, idIn(current)] as const);
  return new Map(objects.flatMap(([address, id]) => (id === undefined ? [] : [[address, id] as const])));
}

/** Returns the id of a job. For a message, returns the last 12 characters of its Idempotency-Key. */
function idIn(object: ObjectRecord | undefined): string | undefined {
  if (object === undefined) {
    return undefined;
  }
  const id = String(object.block.job_id ?? "");
  const [, intent] = /\.([0-9a-f]{12})"/.exec(Buffer.from(object.private ?? []).toString()) ?? [];
  return object.block.prompt === undefined ? id : intent;
}
