import { exportJobResponse } from "../../../provider/platform/schemas";
import type { Random } from "../../../test/support/random";
import { drawWord, type ProgressShape, progressShapes } from "../../../test/support/strangers/statuses";
import type { GeneratedJob } from "./generator";

/**
 * Draws a random job, which may wait in a queue. The platform shows the job's progress in the given shape, and names
 * the job's status by a random word.
 * @param times the range of the durations, in milliseconds. The logarithms of the durations have a uniform
 * distribution.
 */
export function drawJob(
  shape: ProgressShape,
  [shortest, longest]: readonly [number, number],
  random: Random,
): GeneratedJob {
  const duration = shortest * (longest / shortest) ** random.next();
  const queue = duration * Math.max(0, random.next() - 0.5);
  const showsProgressInQueue = random.next() < 0.5;
  const [queueWord, runWord] = [drawWord(random, "queue"), drawWord(random, "run")];
  const show = progressShapes[shape](random);
  return {
    duration,
    last: duration,
    progressAt(elapsed) {
      const isQueued = elapsed < queue;
      const done = isQueued ? 0 : Math.min(1, (elapsed - queue) / (duration - queue));
      const progress = isQueued && !showsProgressInQueue ? undefined : show(done);
      return exportJobResponse.parse({ status: isQueued ? queueWord : runWord, progress }).progress;
    },
  };
}
