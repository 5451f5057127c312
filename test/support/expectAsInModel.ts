import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Platform } from "../../simulator/index";
import { errorCodesIn } from "../explore/errorCodesIn";
import type { RunStop } from "../explore/machine";
import { type Act, type Moment, moments, type Scene } from "../explore/play";
import { campaign } from "./campaign";
import { noteLines } from "./campaignResults";
import type { Random } from "./random";
import { until } from "./until";

/** A late answer's delay in milliseconds. The run can be ended before the answer. */
const late = 1_500;

const nowhere = `endpoint=${encodeURIComponent("http://127.0.0.1:9")}`;

interface Ended {
  code: number | null;
  output: string;
}

interface Running {
  ended: Promise<Ended>;
  interrupt(): void;
}

/** A real engine with one stack. The test compares its results with those of the model. */
export interface RealEngine<Command, Started extends Running> {
  platform: Platform;
  environment: NodeJS.ProcessEnv;
  run(command: Command): Promise<Ended>;
  start(command: Command): Promise<Started>;
  /** Ends a run, but not by Ctrl-C: `interrupt` does that. */
  end(how: RunStop, running: Started): void;
  /** The stops after which the engine still lives and reports a failed run. */
  failingStops: readonly RunStop[];
  /** True if the command has done its work although its exit code reports a failure. */
  isDone?(command: Command): boolean;
  /** `numberOf` converts a job's id to the job's number: 1 for the first job. */
  state(numberOf: (jobId: unknown) => number): Promise<unknown>;
}

export function drawStop(random: Random, ends: readonly RunStop[]): NonNullable<Act["end"]> {
  const at = random.pick(moments);
  const how = random.pick(ends as readonly [RunStop, ...RunStop[]]);
  // During a poll, the first Ctrl-C ends the run at once. A second Ctrl-C could come before or after this end, with
  // different results.
  return at === "looks at" && how === "Ctrl-C twice" ? { at, how: "Ctrl-C" } : { at, how };
}

/**
 * Performs these acts on the real engine, and asserts that the results are those of the model. The campaign records
 * each verdict immediately, because a time limit may end the campaign.
 */
export async function expectAsInModel<Command, Started extends Running>(
  name: string,
  acts: readonly Act<Command>[],
  model: readonly Scene[],
  engine: RealEngine<Command, Started>,
): Promise<void> {
  const begin = Date.now();
  const real: Scene[] = [];
  const story: string[] = [];
  for (const [index, act] of acts.entries()) {
    const expected = model[index];
    const { output, ...scene } = await perform(act, expected?.isEnded === true, engine);
    story.push(`${JSON.stringify(act)}\n${output}`);
    // A provider process that has lost its engine may still start a job, so the model may not know the number of
    // starts.
    real.push({ ...scene, starts: expected?.starts === undefined ? undefined : scene.starts });
  }
  if (campaign) {
    const seconds = ((Date.now() - begin) / 1_000).toFixed(1);
    const verdict = isDeepStrictEqual(comparedFacts(real), comparedFacts(model))
      ? "as in the model"
      : "another outcome";
    noteLines([`held to ${name}: ${acts.length} runs, ${verdict}, ${seconds} s`]);
  }
  expect(comparedFacts(real), story.join("\n")).toEqual(comparedFacts(model));
}

/** Removes the facts that the test does not compare. */
function comparedFacts(scenes: readonly Scene[]): object[] {
  return scenes.map(({ isEnded: _, outcome, ...more }) => (outcome === "ended" ? { outcome } : { outcome, ...more }));
}

async function perform<Command, Started extends Running>(
  { command, end, isJournalGone }: Act<Command>,
  isEnded: boolean,
  engine: RealEngine<Command, Started>,
): Promise<Scene & { output: string }> {
  const { platform, environment } = engine;
  const { DOCS_PLATFORM_JOURNAL: journal } = environment;
  if (isJournalGone) {
    environment.DOCS_PLATFORM_JOURNAL = journal?.replace(/endpoint=[^&]*/, nowhere);
  }
  let outcome: Scene["outcome"];
  let output: string;
  if (end !== undefined && isEnded) {
    delayAnswerAt(platform, end.at, end.how);
    const running = await engine.start(command);
    await waitForRequest(platform, end.at, running.ended);
    await stopRun(end.how, running, engine);
    output = (await running.ended).output;
    outcome = engine.failingStops.includes(end.how) ? "red" : "ended";
  } else {
    const ended = await engine.run(command);
    output = ended.output;
    outcome = ended.code === 0 || engine.isDone?.(command) ? "green" : "red";
  }
  environment.DOCS_PLATFORM_JOURNAL = journal;
  const ids = platform.jobs.list().map(({ jobId }) => jobId);
  const state = await engine.state((jobId) => ids.indexOf(String(jobId)) + 1);
  return { isEnded, outcome, starts: platform.starts, state, codes: errorCodesIn(output), output };
}

async function stopRun<Command, Started extends Running>(
  how: RunStop,
  running: Started,
  engine: RealEngine<Command, Started>,
): Promise<void> {
  if (how === "Ctrl-C twice") {
    running.interrupt();
    await sleep(200);
  }
  if (how.startsWith("Ctrl-C")) {
    running.interrupt();
  } else {
    engine.end(how, running);
  }
}

/** Delays or withholds the platform's answer to the request at which the run will be ended. */
function delayAnswerAt(platform: Platform, moment: Moment, how: RunStop): void {
  const dies = how === "kill" || how === "provider dies";
  if (moment === "looks at") {
    platform.inject({ operation: "getExport", kind: "delay", ms: late });
  } else if (moment === "is answered") {
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: late });
  } else {
    platform.inject({ operation: "startExport", ...(dies ? { kind: "hang" } : { kind: "delay", ms: late }) });
  }
}

/** Resolves when the current run has sent the request of `moment`, or has ended. */
async function waitForRequest(platform: Platform, moment: Moment, ended: Promise<unknown>): Promise<void> {
  const operation = moment === "looks at" ? "getExport" : "startExport";
  const before = platform.counts[operation];
  let hasEnded = false;
  void ended.finally(() => {
    hasEnded = true;
  });
  await until(() => hasEnded || platform.counts[operation] > before);
  await sleep(100);
}
