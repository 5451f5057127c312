import { Machine } from "./machine";
import type { ModelPlatform, PlatformHabits } from "./platform";
import type { Command, End, EngineHabits, PulumiEngine, RunResult } from "./pulumi";
import type { Budget, Schedule } from "./schedule";
import type { ModelStore, StoreHabits } from "./store";

/** What a person does, in what surroundings, and what may go wrong. */
export interface Script {
  name: string;
  commands: readonly Command[];
  ends?: readonly End[];
  budget: Budget;
  engine?: EngineHabits;
  platform?: PlatformHabits;
  store?: StoreHabits;
  /** Steps of a process whose engine is gone may come between those of the next run. */
  interleaves?: boolean;
  /** Two engines run the first command at the same time, without a lock. */
  twoEngines?: boolean;
}

/** How a story puts its models together. */
export interface Surroundings {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
  engine: PulumiEngine;
  /** On the same backend. */
  other: PulumiEngine;
}

/** What is known of a story beside its models. */
interface Ledger {
  asked: number;
  wantsNew: boolean;
  /** When the last green run ended. */
  greenAt: number;
  everSaved: Set<string>;
  texts: string[];
  problems: Set<string>;
  disturbed: { byKill: boolean; byOrphan: boolean; byStore: boolean };
}

/** Tells one story, and returns the rules that it broke. */
export async function tell(
  script: Script,
  schedule: Schedule,
  surround: (machine: Machine) => Surroundings,
): Promise<string[]> {
  const machine = new Machine(schedule, script.interleaves);
  const here = surround(machine);
  const ledger: Ledger = {
    asked: 0,
    wantsNew: true,
    greenAt: 0,
    everSaved: new Set(),
    texts: [],
    problems: new Set(),
    disturbed: { byKill: false, byOrphan: false, byStore: false },
  };
  if (script.twoEngines) {
    await runTwo(script.commands[0] ?? { kind: "up" }, here, ledger);
  }
  for (const command of script.twoEngines ? [] : script.commands) {
    await runOnce(command, script.ends ?? [], here, ledger);
    if (here.engine.orphans.every(({ isAlive }) => !isAlive)) {
      if (schedule.wasAt(summary(here, ledger))) {
        return [...ledger.problems];
      }
    }
  }
  for (const orphan of here.engine.orphans) {
    await machine.drain(orphan);
  }
  await endInPeace(script, here, ledger);
  return [...ledger.problems];
}

async function runTwo(command: Command, here: Surroundings, ledger: Ledger): Promise<void> {
  const { machine, engine, other } = here;
  ledger.asked++;
  ledger.wantsNew = false;
  const both = Promise.all([engine.runBeside(command), other.runBeside(command)]);
  const results = await machine.run(machine.spawn("nobody"), undefined, both);
  for (const { texts } of results === "ended" ? [] : results) {
    ledger.texts.push(...texts);
  }
  noteSaved(here, ledger);
  check(here, ledger);
}

async function runOnce(command: Command, ends: readonly End[], here: Surroundings, ledger: Ledger): Promise<RunResult> {
  const { machine, engine, platform } = here;
  const isNew = ledger.wantsNew && command.kind === "up";
  if (isNew || command.replace) {
    ledger.asked++;
    ledger.wantsNew = false;
  }
  const result = await engine.run(command, ends);
  const { texts, outcome } = result;
  ledger.texts.push(...texts);
  const told = machine.schedule.story.join("\n");
  ledger.disturbed.byKill ||= /^! kill/m.test(told);
  ledger.disturbed.byOrphan ||= /^! engine dies/m.test(told);
  ledger.disturbed.byStore ||= /\[(fails|lacks the newest)\]/.test(told);
  for (const text of texts) {
    machine.schedule.tell(`    ${text.split("\n")[0]}`);
  }
  machine.schedule.tell(`    ${outcome}: state has ${engine.backend.saved?.id ?? "nothing"}`);
  noteSaved(here, ledger);
  const { byKill, byOrphan, byStore } = ledger.disturbed;
  if (
    !byKill &&
    !byOrphan &&
    !byStore &&
    platform.lostAnswers === 0 &&
    texts.some((text) => text.includes("AMBIGUOUS"))
  ) {
    ledger.problems.add("FALSE ALARM: nothing was lost, and the run says that a start may have been");
  }
  const waits = engine.orphans.some(({ isAlive }) => isAlive) && !byKill && !byStore && platform.lostAnswers === 0;
  if (waits && texts.some((text) => text.includes("AMBIGUOUS"))) {
    ledger.problems.add("FALSE ALARM: the process that sent the start still runs, and was not waited for");
  }
  if (engine.canExport && texts.some((text) => text.includes("was taken up again"))) {
    ledger.problems.add("FALSE ALARM: the state could be asked, and the old job was taken up");
  }
  if (command.kind === "destroy" && engine.backend.saved === undefined) {
    ledger.wantsNew = true;
  }
  if (outcome === "green") {
    noteGreen(command, isNew || command.replace === true, result, here, ledger);
  }
  check(here, ledger);
  return result;
}

function noteSaved({ engine }: Surroundings, { everSaved }: Ledger): void {
  for (const one of [engine.backend.saved, engine.backend.toDelete]) {
    if (one !== undefined) {
      everSaved.add(one.id);
    }
  }
}

function noteGreen(
  { kind }: Command,
  asks: boolean,
  { texts }: RunResult,
  { engine, platform, store, machine }: Surroundings,
  ledger: Ledger,
): void {
  if (asks) {
    const id = engine.backend.saved?.id ?? "";
    const job = platform.jobs.find((one) => one.id === id);
    // A plan asks no bucket, and names nothing of a process that still runs; a destroy asks nothing: then the run that takes
    // the old one up says so.
    const isDestroyed = machine.schedule.story.some((line) => line.endsWith(": destroy"));
    const mayBeTold = store.habits.isRemote || ledger.disturbed.byOrphan || isDestroyed;
    const isTold = mayBeTold && texts.some((text) => text.includes(id));
    if (job !== undefined && job.acceptedAt < ledger.greenAt && !isTold) {
      ledger.problems.add(`OLD: ${id} was started before the last green run, and is handed out as a new one`);
    }
  } else if (kind === "up" && engine.backend.saved === undefined) {
    ledger.problems.add("NOTHING: a green run has left no export");
  }
  ledger.greenAt = machine.time;
}

function check({ engine, platform, store }: Surroundings, ledger: Ledger): void {
  const failed = platform.failed();
  if (platform.jobs.length > ledger.asked + failed) {
    ledger.problems.add(`DOUBLE: ${platform.jobs.length} starts, ${ledger.asked + failed} asked for`);
  }
  if (engine.orphans.some(({ isAlive }) => isAlive)) {
    return;
  }
  const journal = [...store.texts.values()].join();
  for (const { id, key, isAnswered } of platform.jobs) {
    const isKnown =
      ledger.everSaved.has(id) ||
      journal.includes(`"${id}"`) ||
      // Its answer has not been recorded: the journal has the intent.
      journal.includes(key) ||
      ledger.texts.some((text) => text.includes(id));
    // Of one whose answer was lost the journal has the intent.
    if (isAnswered && !isKnown) {
      ledger.problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
    }
  }
  if (store.everPut.some((text) => /svc_|a\.test|urn:/.test(text))) {
    ledger.problems.add("SECRET: an entry holds a key, a domain or a URN");
  }
}

/** A person who reads what a run says, and does it, is done after a few runs. */
async function endInPeace(script: Script, here: Surroundings, ledger: Ledger): Promise<void> {
  let command: Command = { kind: "up" };
  for (let run = 0; run < 4; run++) {
    const { outcome, texts } = await runOnce(command, [], here, ledger);
    if (outcome === "green") {
      return;
    }
    command = advised(texts.join("\n"), here, ledger);
  }
  ledger.problems.add(`STUCK: ${script.name} is not green after four quiet runs`);
}

function advised(text: string, { engine, platform, machine }: Surroundings, { everSaved, texts }: Ledger): Command {
  const [, code] = /DOCS_PLATFORM_NOT_STARTED=([0-9a-f,]+)/.exec(text) ?? [];
  if (code === undefined) {
    return { kind: "up", replace: /--replace/.test(text) && engine.backend.saved !== undefined };
  }
  const running = platform.jobs.findLast(({ id }) => !everSaved.has(id));
  if (running !== undefined) {
    machine.schedule.tell(`    (a person adopts ${running.id})`);
    texts.push(running.id);
    return { kind: "up", inputs: { jobId: running.id } };
  }
  machine.schedule.tell("    (a person says that it came to nothing)");
  return { kind: "up", notStarted: [code] };
}

/** All that the future depends on, with times left out and ids renamed. */
function summary({ engine, platform, store }: Surroundings, ledger: Ledger): unknown {
  const { asked, wantsNew, greenAt, everSaved, disturbed } = ledger;
  const jobs = platform.jobs.map(({ id, looks, acceptedAt, isAnswered }) => [
    id,
    looks,
    acceptedAt < greenAt,
    isAnswered,
  ]);
  const texts = [...store.texts].sort(([a], [b]) => (a < b ? -1 : 1));
  const told = platform.jobs.filter(({ id }) => ledger.texts.some((text) => text.includes(id))).length;
  const whole = JSON.stringify([
    engine.backend,
    texts,
    jobs,
    asked,
    wantsNew,
    [...everSaved],
    disturbed,
    told,
    platform.lostAnswers,
  ]);
  const names = new Map<string, string>();
  return whole
    .replace(/"(writtenAt|__acceptedAt|startedAt|completedAt|pid|engine)\\*":(\\*"[^"]*\\*"|\d+)/g, "")
    .replace(/\\"(writtenAt|pid)\\":\d+/g, "")
    .replace(/[0-9a-f]{12}(?![0-9a-f])/g, (id) => {
      names.set(id, names.get(id) ?? `id ${names.size}`);
      return names.get(id) ?? "";
    });
}
