import type { Clock } from "../support/clock";
import { InterruptedError, TimeoutError } from "../support/errors";
import { estimateRest, nextRest, type Observation, shortestRest } from "./pacing";

/** What one look at the awaited thing tells. */
export type Verdict<T> = { done: true; value: T } | { done: false; progress: number | undefined };

/** How a wait stands, for whoever shows it. Times are milliseconds. */
export interface Standing {
  elapsed: number;
  /** From 0 to 1. */
  progress: number | undefined;
  /** What the rest should take, by the pace seen so far. */
  expectedRest: number | undefined;
}

export interface Wait<T> {
  /** Looks once; must end by the deadline. What it throws ends the wait, but for a look that the deadline cuts short. */
  probe: () => Promise<Verdict<T>>;
  /** Milliseconds since the epoch. */
  deadline: number;
  signal: AbortSignal;
  clock: Clock;
  onStanding: (standing: Standing) => void;
}

/**
 * Looks at once, then again and again until the thing is done.
 * @returns the value of the verdict that ended it, or undefined where the deadline came first; the last look is placed
 * just before the deadline, so that a job which ends in the last moments is seen.
 * @throws InterruptedError as soon as the signal aborts, and whatever the probe throws.
 */
export async function waitUntilDone<T>({
  probe,
  deadline,
  signal,
  clock,
  onStanding,
}: Wait<T>): Promise<T | undefined> {
  const begin = clock.now();
  const observations: Observation[] = [];
  for (;;) {
    if (signal.aborted) {
      throw new InterruptedError();
    }
    const verdict = await lookBy(deadline, clock, probe);
    if (verdict.done) {
      return verdict.value;
    }
    const now = clock.now();
    const elapsed = now - begin;
    if (verdict.progress !== undefined) {
      observations.push({ elapsed, progress: verdict.progress });
    }
    onStanding({ elapsed, progress: verdict.progress, expectedRest: estimateRest(observations, elapsed) });
    const left = deadline - now;
    if (left <= shortestRest) {
      return undefined;
    }
    await sleep(clock, restBefore(left, nextRest({ elapsed, observations })), signal);
  }
}

/** A look that the deadline cut short has seen nothing; that is no failure, and the end of the wait says so. */
async function lookBy<T>(deadline: number, clock: Clock, probe: () => Promise<Verdict<T>>): Promise<Verdict<T>> {
  try {
    return await probe();
  } catch (error) {
    if (error instanceof TimeoutError && deadline - clock.now() <= shortestRest) {
      return { done: false, progress: undefined };
    }
    throw error;
  }
}

/** Leaves a moment before the deadline in which the last look can be answered. */
function restBefore(left: number, wanted: number): number {
  const untilLastLook = left - Math.min(shortestRest, left / 2);
  return wanted >= untilLastLook - shortestRest ? Math.max(shortestRest, untilLastLook) : wanted;
}

async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch {
    throw new InterruptedError();
  }
}
