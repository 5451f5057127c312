/**
 * The parameters of the random jobs. The same number always gives the same job, so every policy waits for the same
 * jobs. Times are in milliseconds.
 */
export const parameters = {
  seed: 20_261_121,
  /** The time from sending a request to its answer. */
  latency: 150,
  /**
   * Durations are log-normal: they have this `median`, and their logarithms have this `spread`. The time in the queue
   * is exponential.
   */
  situations: {
    A: { title: "unknown site", median: 240_000, spread: 0.7, meanQueue: 8_000 },
    B: { title: "the same site again", median: 240_000, spread: 0.15, meanQueue: 5_000 },
    C: { title: "small site", median: 25_000, spread: 0.5, meanQueue: 3_000 },
  },
  shortJobs: { withProgress: [15_000, 60_000], without: [8_000, 60_000], meanQueue: 2_000, latency: 10 },
  /** Each resumed wait begins after one of these fractions of the job's duration. */
  resumedAt: [0.1, 0.5, 0.79, 0.95],
  /** In each of the `parts`, the job's speed is uniformly distributed between 1 - noise and 1 + noise. */
  pace: { parts: 20, noise: 0.1 },
  /**
   * The progress that the platform shows for the finished fraction x of the work. `front`: 1 - (1 - x)^front. `back`:
   * x^back. `stall`: the progress reaches 99 % at x = stall, and stays there.
   */
  front: 2,
  back: 1.5,
  stall: 0.65,
  /**
   * For the shape `jump`: after a random fraction of the work (in the range `at`), the progress drops by a random
   * amount (in the range `by`), and then rises faster.
   */
  jump: { at: [0.3, 0.8], by: [0.1, 0.3] },
} as const;

export type SituationName = keyof typeof parameters.situations;
export const situationNames = ["A", "B", "C"] as const satisfies readonly SituationName[];

/** `steps` shows only quarters, `jump` drops once, and `absent` shows nothing before the end. */
export const shapes = ["linear", "front", "back", "stall", "jump", "steps", "absent"] as const;
export type Shape = (typeof shapes)[number];

export const mixedShapes: readonly Shape[] = ["linear", "linear", "front", "back", "stall"];

export interface GeneratedJob {
  /** The time from the start of the job to its end, including the queue. */
  duration: number;
  last: number;
  /** Returns a number from 0 to 1, or undefined if the platform shows no progress. */
  progressAt(elapsed: number): number | undefined;
}

/** Returns a random number: at least 0, and less than 1. */
export type RandomNumber = () => number;

/** Draws numbers by the splitmix32 method. The same seed gives the same sequence. */
export function randomFrom(seed: number): RandomNumber {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixedBits = state ^ (state >>> 16);
    mixedBits = Math.imul(mixedBits, 0x21f0aaad);
    mixedBits ^= mixedBits >>> 15;
    mixedBits = Math.imul(mixedBits, 0x735a2d97);
    mixedBits ^= mixedBits >>> 15;
    return (mixedBits >>> 0) / 2 ** 32;
  };
}

export function makeJob(situation: SituationName, shown: readonly Shape[], number: number): GeneratedJob {
  const random = randomFrom(parameters.seed + number * 7_919 + situation.charCodeAt(0) * 104_729);
  const shape = shown[number % shown.length] ?? "linear";
  const { meanQueue } = parameters.situations[situation];
  const drawQueue = () => -meanQueue * Math.log(1 - random());
  const queue = drawQueue();
  const work = drawWork(situation, random);
  const last = drawQueue() + drawWork(situation, random);
  const workDone = drawPace(random);
  const show = drawShape(shape, random);
  return {
    duration: queue + work,
    last,
    progressAt: (elapsed) => show(elapsed <= queue ? 0 : workDone(Math.min(1, (elapsed - queue) / work))),
  };
}

/** The duration has a uniform distribution between these bounds. The progress rises in steps of one per cent. */
export function shortJob([shortest, longest]: readonly [number, number], number: number): GeneratedJob {
  const random = randomFrom(parameters.seed + number * 7_919);
  const duration = shortest + (longest - shortest) * random();
  const queue = Math.min(duration / 2, -parameters.shortJobs.meanQueue * Math.log(1 - random()));
  return {
    duration,
    last: duration,
    progressAt: (elapsed) => Math.floor(Math.max(0, 100 * ((elapsed - queue) / (duration - queue)))) / 100,
  };
}

function drawWork(situation: SituationName, random: RandomNumber): number {
  const { median, spread } = parameters.situations[situation];
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}

/** Returns a function from the elapsed share of the job's time to the finished share of its work. */
function drawPace(random: RandomNumber): (time: number) => number {
  const { parts, noise } = parameters.pace;
  const ends: number[] = [];
  let sum = 0;
  for (let part = 0; part < parts; part++) {
    sum += 1 / (1 + noise * (2 * random() - 1));
    ends.push(sum);
  }
  return (time) => {
    const at = time * sum;
    const part = Math.min(
      parts - 1,
      ends.findIndex((end) => at <= end),
    );
    const begin = ends[part - 1] ?? 0;
    const end = ends[part] ?? sum;
    return (part + (at - begin) / (end - begin)) / parts;
  };
}

/** Returns a function from the finished share of the work to the progress that the platform shows. */
function drawShape(shape: Shape, random: RandomNumber): (done: number) => number | undefined {
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * random();
  const at = between(parameters.jump.at);
  const by = between(parameters.jump.by);
  const curves: Partial<Record<Shape, (done: number) => number>> = {
    linear: (done) => done,
    front: (done) => 1 - (1 - done) ** parameters.front,
    back: (done) => done ** parameters.back,
    stall: (done) => Math.min(0.99, (0.99 * done) / parameters.stall),
    steps: (done) => Math.floor(4 * done) / 4,
    jump: (done) => (done < at ? done : at - by + ((done - at) / (1 - at)) * (1 - at + by)),
  };
  const curve = curves[shape];
  return (done) => curve && Math.floor(100 * Math.min(0.999999, curve(done))) / 100;
}
