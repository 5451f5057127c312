import type { Random } from "../random";
import { seededRandom } from "../random";
import {
  type Body,
  errorOf,
  firstAnswers,
  firstPoll,
  firstStart,
  mintRequest,
  pollRequest,
  withAnswer,
} from "../strangeAnswers";
import { strangeSite } from "../strangeBundle";
import type { StrangeCase } from "../strangeHabits";
import type { Habit, PlainAnswer } from "../strangePlatform";
import { drawAddress } from "./addresses";
import { drawArchive, packerOf } from "./archives";
import { drawPace } from "./pace";
import { drawRefusal } from "./refusals";
import { drawWord, type Progress, type ProgressShape, progressShapes } from "./statuses";
import { drawTimes } from "./times";

type DrawnCase = Omit<StrangeCase, "axis" | "value"> & { text: string };

/** At the first poll, a job has done one of these shares of its work. */
const shares = [0, 0.1, 0.5, 0.99] as const;

/** Adds headers that ask for a pause. The pause is at most one second, because these platforms run in real time. */
function paced(random: Random, answer: PlainAnswer): { text: string; answer: () => PlainAnswer } {
  const seed = random.whole(0, 1e9);
  const drawnAt = (now: number) => drawPace(seededRandom(seed), Math.floor(now / 1_000) * 1_000, 1);
  return {
    text: `${drawnAt(0).manner}: ${JSON.stringify(drawnAt(0).headers)}`,
    answer: () => ({ ...answer, headers: { ...answer.headers, ...drawnAt(Date.now()).headers } }),
  };
}

/** For each axis (a property in which platforms differ): a function that makes the case with the number `turn`. */
const families: Readonly<Record<string, (random: Random, turn: number) => DrawnCase>> = {
  "times of a job": (random) => {
    const seed = random.whole(0, 1e9);
    const ends = new Map<unknown, number>();
    const recordOf = ({ body }: PlainAnswer): Partial<PlainAnswer> => {
      const { jobId } = body as Body;
      const now = ends.get(jobId) ?? Date.now();
      ends.set(jobId, now);
      return { body: { ...(body as Body), ...drawTimes(seededRandom(seed), now, now).fields } };
    };
    const text = JSON.stringify(drawTimes(seededRandom(seed), 0, 0).fields);
    return { text, habit: withAnswer("getExport", recordOf) };
  },
  "words for a status": (random) => {
    const status = drawWord(random, random.pick(["queue", "run"]));
    return { text: JSON.stringify(status), habit: firstPoll({ body: { status } }) };
  },
  "type and unit of `progress`": (random, turn) => {
    const names = Object.keys(progressShapes) as [ProgressShape, ...ProgressShape[]];
    const shape = names[turn % names.length] ?? names[0];
    const show: Progress = progressShapes[shape](random);
    const progress = show(random.pick(shares));
    return {
      text: `${shape}: ${JSON.stringify(progress) ?? "none"}`,
      habit: firstPoll({ body: { status: drawWord(random, "run"), progress } }),
    };
  },
  "start that is refused for a while": (random) => {
    const { text, answer } = paced(random, errorOf(429));
    return { text: `429, ${text}`, habit: firstStart(answer) };
  },
  "rate limits of exports": (random) => {
    const [what, kind] = random.pick([
      ["a look", pollRequest],
      ["a mint", mintRequest],
    ] as const);
    const { text, answer } = paced(random, errorOf(429));
    return { text: `${what}, ${text}`, habit: firstAnswers(kind, 1, answer) };
  },
  "HTTP statuses and bodies of errors": (random, turn) => {
    const status = random.pick([500, 502, 503, 504]);
    const { framework, body } = drawRefusal(random, turn, status);
    const [what, kind] = random.pick([
      ["a look", pollRequest],
      ["a mint", mintRequest],
    ] as const);
    return { text: `${what}: ${status} by ${framework}`, habit: firstAnswers(kind, 1, errorOf(status, body)) };
  },
  "format of the archive": (random, turn) => drawnArchive(random, turn, false),
  "folder around the site in the archive": (random, turn) => drawnArchive(random, turn, true),
  "paths behind another prefix or version": (random) => {
    const { text, path } = drawAddress(random, "host", 0);
    const basePath = text.replace(/^[^/]*\/\/host/, "");
    const habit: Habit = { request: (request) => ({ path: request.path.slice(path.length) }) };
    return { text: basePath, basePath, habit };
  },
};

function drawnArchive(random: Random, turn: number, around: boolean): DrawnCase {
  const [packer, seed] = [packerOf(turn, { around }), random.whole(0, 1e9)];
  return {
    text: packer.name,
    archive: async () => (await drawArchive(seededRandom(seed), packer, strangeSite)).bytes,
    ...(around && { warns: "it is published without that folder", engine: "campaign" }),
  };
}

/** Makes `each` random cases for every axis. */
export function drawnPlatforms(seed: number, each: number): StrangeCase[] {
  return Object.entries(families).flatMap(([axis, draw], family) => {
    const random = seededRandom(seed + family);
    return Array.from({ length: each }, (_, turn) => {
      const { text, ...rest } = draw(random, turn);
      return { axis, value: `draw ${turn} of seed ${seed}: ${text}`, ...rest };
    });
  });
}
