import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../simulator/index";
import { type Act, type Moment, moments } from "../explore/play";
import type { End } from "../explore/pulumi";
import type { Random } from "./random";
import { until } from "./until";

/** The delay of a late answer, so that something can happen before it; milliseconds. */
const late = 1_500;

export function drawEnd(random: Random, ends: readonly End[]): NonNullable<Act["end"]> {
  const at = random.pick(moments);
  const how = random.pick(ends as readonly [End, ...End[]]);
  // During a poll the first Ctrl-C ends the run at once, so the second one may come before or after the end.
  return at === "looks at" && how === "Ctrl-C twice" ? { at, how: "Ctrl-C" } : { at, how };
}

/** Makes the answer to the next request of this moment late, or withholds it. */
export function holdAt(platform: Platform, moment: Moment, how: End): void {
  const dies = how === "kill" || how === "provider dies";
  if (moment === "looks at") {
    platform.inject({ operation: "getExport", kind: "delay", ms: late });
  } else if (moment === "is answered") {
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: late });
  } else {
    platform.inject({ operation: "startExport", ...(dies ? { kind: "hang" } : { kind: "delay", ms: late }) });
  }
}

/** Resolves once a run that begins now has come to the moment, or to its end. */
export async function reached(platform: Platform, moment: Moment, ended: Promise<unknown>): Promise<void> {
  const operation = moment === "looks at" ? "getExport" : "startExport";
  const before = platform.counts[operation];
  let hasEnded = false;
  void ended.finally(() => {
    hasEnded = true;
  });
  await until(() => hasEnded || platform.counts[operation] > before);
  await sleep(100);
}
