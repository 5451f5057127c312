/** What a wait knows when it decides how long to rest before the next look. Times are milliseconds. */
export interface Situation {
  /** Since the wait began. */
  elapsed: number;
  /** Every progress seen in this wait, oldest first: how much was done, from 0 to 1, and when. */
  observations: readonly Observation[];
}

export interface Observation {
  elapsed: number;
  progress: number;
}

/** Two looks at one job are never closer than this. */
export const shortestRest = 500;

/** Without progress to go by, and at most with it, a look comes this often: an estimate can be wrong. */
const longestRest = 30_000;

/**
 * Milliseconds until the next look. With progress: a part of the time that the rest of the job should take, so that
 * looks grow denser towards the end. Without it: a share of the time passed, since a job that has run for long is likely
 * to run on. Never more than half of the time passed, so that a first, wild estimate costs little.
 */
export function nextRest({ elapsed, observations }: Situation): number {
  const rest = estimateRest(observations, elapsed);
  const wanted = rest === undefined ? elapsed / 12 : Math.min(0.6 * rest, elapsed / 2);
  return Math.min(longestRest, Math.max(shortestRest, wanted));
}

/** How long the rest of the job should take, in milliseconds, or undefined without progress to go by. */
export function estimateRest(observations: readonly Observation[], elapsed: number): number | undefined {
  const first = observations[0];
  const last = observations.at(-1);
  if (!first || !last || last.progress <= first.progress || last.elapsed <= first.elapsed) {
    return undefined;
  }
  const pace = (last.progress - first.progress) / (last.elapsed - first.elapsed);
  return Math.max(0, (1 - last.progress) / pace - (elapsed - last.elapsed));
}
