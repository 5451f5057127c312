import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../../provider/platform/connect";
import { followExport } from "../../../provider/resources/exportWait";
import type { Context } from "../../../provider/resources/lifecycle";
import { loadMirrorLibrary } from "../../../provider/resources/mirrorLibrary";
import { requireSettings } from "../../../provider/settings/settings";
import { untraced } from "../../../provider/support/span";
import { systemClock } from "../../../provider/support/time/clock";
import { Deadline } from "../../../provider/support/time/deadline";
import { type Platform, startPlatform } from "../../../simulator/index";
import { type BenchTarget, table } from "../part";
import { parameters } from "./generator";

/** Waits for one job each, on real sockets and a real clock. */
export interface RealWaits {
  /** The duration of the job, in seconds. */
  duration: number;
  /** The mean delay of three uninterrupted waits, in seconds. */
  uninterrupted: number;
  /** The mean delay for each share of the job at which the waits resume: with and without a known begin of the job. */
  resumed: { known: number; unknown: number }[];
}

const repetitions = 3;
/** The highest allowed mean delay of all resumed waits, in seconds. */
const longestDelay = 0.3;

/** Runs the waits for jobs of these durations (in seconds) at the same time. */
export async function runReal(durations: readonly number[]): Promise<RealWaits[]> {
  const platform = await startPlatform({ queueTime: 0 });
  try {
    return await Promise.all(durations.map((duration) => rowOf(platform, duration)));
  } finally {
    await platform.close();
  }
}

async function rowOf(platform: Platform, duration: number): Promise<RealWaits> {
  const many = (at: number, knowsBegin: boolean) =>
    Promise.all(Array.from({ length: repetitions }, () => waitFrom(platform, duration * 1_000, at, knowsBegin)));
  const [uninterrupted, ...resumed] = await Promise.all([
    many(0, true),
    ...parameters.resumed.at.map(async (at) => {
      const [known, unknown] = await Promise.all([many(at, true), many(at, false)]);
      return { known: mean(known), unknown: mean(unknown) };
    }),
  ]);
  return { duration, uninterrupted: mean(uninterrupted), resumed };
}

/** @returns the seconds from the job's end until the request that saw it. */
async function waitFrom(platform: Platform, duration: number, at: number, knowsBegin: boolean): Promise<number> {
  platform.jobTime = duration;
  const { jobId, domain } = platform.jobs.add({ domain: "docs.example.com" });
  const startedAt = Date.now();
  await sleep(at * duration);
  const settings = requireSettings({
    environment: {
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
    },
  });
  const context: Context = {
    clock: systemClock,
    signal: new AbortController().signal,
    settings: () => settings,
    connect: () => connect(settings),
    mirrors: loadMirrorLibrary,
    pendingStart: () => {
      throw new Error("nothing is started here");
    },
    hasMade: () => false,
    savedState: async () => undefined,
    status: () => {},
    lastStatus: () => {},
    warn: () => {},
    info: () => {},
    debug: () => {},
    span: untraced,
  };
  const state = { jobId, domain, status: "running", version: jobId, __origin: settings.origin };
  await followExport(
    knowsBegin ? { ...state, __acceptedAt: new Date(startedAt).toISOString() } : state,
    { name: "waitTimeout", time: "30m", deadline: Deadline.in(1_800_000, systemClock), origin: "saved" },
    context,
  );
  const completedAt = platform.jobs.get(jobId)?.completedAt ?? Number.NaN;
  const seen = platform.requests.find(({ path, at: sentAt }) => path.includes(jobId) && sentAt >= completedAt);
  return ((seen?.at ?? Number.NaN) - completedAt) / 1_000;
}

export function describeReal(rows: readonly RealWaits[]): string {
  const shares = parameters.resumed.at.map((at) => `from ${at * 100} %`);
  const cells = (row: RealWaits) =>
    row.resumed.map(({ known, unknown }) => `${known.toFixed(2)} / ${unknown.toFixed(2)}`);
  return table([
    ["job", "uninterrupted", ...shares],
    ...rows.map((row) => [`${row.duration} s`, row.uninterrupted.toFixed(2), ...cells(row)]),
  ]);
}

export function realTargets(rows: readonly RealWaits[]): BenchTarget[] {
  const delays = rows.flatMap(({ resumed }) => resumed.flatMap(({ known, unknown }) => [known, unknown]));
  return rows.length === 0 ? [] : [{ name: "pacing.real.resumed", value: mean(delays), limit: longestDelay }];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
