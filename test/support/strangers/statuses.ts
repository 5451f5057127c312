import type { Random } from "../random";

/** The words for the status of a job that waits or runs. The API text does not list them. */
const words = {
  queue: [
    "queued",
    "pending",
    "submitted",
    "accepted",
    "waiting",
    "scheduled",
    "created",
    "enqueued",
    "in queue",
    "new",
  ],
  run: ["running", "in progress", "rendering", "building", "processing", "started", "active", "working", "uploading"],
} as const;

const styles = [
  (word: string) => word,
  (word: string) => word.toUpperCase(),
  (word: string) => word[0]?.toUpperCase() + word.slice(1),
  (word: string) => `STATUS_${word.toUpperCase()}`,
  (word: string) => `job.${word}`,
  (word: string) => ` ${word}\n`,
] as const;
const separators = ["_", "-", " ", ""] as const;

export function drawWord(random: Random, of: keyof typeof words): string {
  return random.pick(styles)(random.pick(words[of]).replace(" ", random.pick(separators)));
}

/** Returns the shown progress, or undefined if the answer has none. `done` is the share of done work, from 0 to 1. */
export type Progress = (done: number) => unknown;

function drawWriting(random: Random): Progress {
  const total = random.whole(3, 400);
  const percent = (done: number) => Math.floor(100 * done);
  return random.pick<Progress>([
    percent,
    (done) => Math.min(0.999, done),
    (done) => `${percent(done)}%`,
    (done) => `${percent(done)}`,
    (done) => `${Math.floor(done * total)} of ${total}`,
    (done) => ({ done: Math.floor(done * total), total }),
    (done) => ({ percentage: percent(done) }),
  ]);
}

/** The ways in which the shown progress can change during a job. */
export const progressShapes = {
  nothing: (random) => {
    const value = random.pick<unknown>([undefined, null, "", "unknown", {}, [], true, Number.NaN]);
    return () => value;
  },
  constant: (random) => {
    const value = random.pick<unknown>([0, -1, "0%", { done: 0, total: 0 }, 1, 1e300, random.whole(2, 60), "12 of 40"]);
    return () => value;
  },
  even: drawWriting,
  "in steps": (random) => {
    const [write, steps] = [drawWriting(random), random.whole(2, 10)];
    return (done) => write(Math.floor(steps * done) / steps);
  },
  "stuck before its end": (random) => {
    const [write, most, speed] = [drawWriting(random), 0.3 + 0.69 * random.next(), 1 + random.next()];
    return (done) => write(Math.min(most, speed * done));
  },
  "falling once": (random) => {
    const [write, at, by] = [drawWriting(random), 0.3 + 0.5 * random.next(), 0.1 + 0.2 * random.next()];
    return (done) => write(done < at ? done : at - by + ((done - at) / (1 - at)) * (1 - at + by));
  },
  "faster or slower": (random) => {
    const [write, power] = [drawWriting(random), 0.4 + 2 * random.next()];
    return (done) => write(done ** power);
  },
} as const satisfies Record<string, (random: Random) => Progress>;

export type ProgressShape = keyof typeof progressShapes;
