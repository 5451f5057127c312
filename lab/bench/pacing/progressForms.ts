import { exportJobBody } from "../../../provider/platform/schemas";
import type { GeneratedJob, RandomNumber } from "./generator";

/** Words of platforms for a queued or running job. The pacing does not know them. */
const queueWords = ["queued", "pending", "submitted", "accepted", "waiting", "scheduled", "created"] as const;
const runWords = ["running", "IN_PROGRESS", "rendering", "building"] as const;

/** The values of `progress` that platforms show for a share of the finished work. Undefined: the field is absent. */
export const progressForms = {
  absent: () => undefined,
  null: () => null,
  zero: () => 0,
  "minus one": () => -1,
  "per cents": (done) => Math.floor(100 * done),
  "per cents as text": (done) => `${Math.floor(100 * done)}%`,
  fractions: (done) => Math.min(0.999, done),
  quarters: (done) => 25 * Math.floor(4 * done),
  "stuck at 99": (done) => Math.min(99, Math.floor(150 * done)),
  "stuck halfway": (done) => Math.min(50, Math.floor(100 * done)),
  "stuck at 5": () => 5,
  jumps: (done) => (done < 0.5 ? Math.floor(120 * done) : Math.floor(30 + 140 * (done - 0.5))),
} as const satisfies Record<string, (done: number) => unknown>;

export type ProgressForm = keyof typeof progressForms;

/**
 * Draws a job of a platform that shows its progress in this form: with or without a queue, in words of its own.
 * @param times the range of the durations, in milliseconds. Their logarithms are uniformly drawn.
 */
export function drawJob(
  form: ProgressForm,
  [shortest, longest]: readonly [number, number],
  random: RandomNumber,
): GeneratedJob {
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const duration = shortest * (longest / shortest) ** random();
  const queue = duration * Math.max(0, random() - 0.5);
  const showsProgressInQueue = random() < 0.5;
  const [queueWord, runWord] = [one(queueWords), one(runWords)];
  return {
    duration,
    last: duration,
    progressAt(elapsed) {
      const isQueued = elapsed < queue;
      const done = isQueued ? 0 : Math.min(1, (elapsed - queue) / (duration - queue));
      const progress = isQueued && !showsProgressInQueue ? undefined : progressForms[form](done);
      return exportJobBody.parse({ status: isQueued ? queueWord : runWord, progress }).progress;
    },
  };
}
