import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetSecrets } from "../../provider/support/redact";
import { campaign } from "../support/campaign";
import { noteResult } from "../support/campaignResults";
import { campaignSeed } from "../support/random";
import { requireTool } from "../support/requireTool";
import { openSockets, Sockets, settledSockets } from "./sockets";
import { deadline, inPool, liveThroughToxics, type ToxicLife, type Watched } from "./toxicLife";

const lives = 1_000;
const atOnce = 8;
/** After these lifecycles, all code is loaded and all caches are full. */
const warmUp = 20;
const seed = campaignSeed();

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * First removes the secrets that are registered for redaction. The number of these secrets grows in the first hundreds
 * of lifecycles, and this growth would look like a leak.
 */
async function heapUsed(): Promise<number> {
  forgetSecrets();
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

describe.skipIf(!campaign || !requireTool("go"))(
  `with go, Toxiproxy: ${lives} lifecycles through a proxy, seed ${seed}`,
  () => {
    let all: ToxicLife[] = [];
    let socketsBefore = 0;
    let socketsAfter = 0;
    let growth = 0;

    beforeAll(async () => {
      const watched = { platforms: new Sockets("server"), clients: new Sockets("client") };
      const liveThrough = (first: number) => (index: number) => liveAndNote(first + index, watched);
      try {
        socketsBefore = openSockets();
        all = await inPool(warmUp, atOnce, liveThrough(0));
        const before = await heapUsed();
        all.push(...(await inPool(lives - warmUp, atOnce, liveThrough(warmUp))));
        growth = (await heapUsed()) - before;
        socketsAfter = await settledSockets(socketsBefore, 5_000);
      } finally {
        watched.platforms.stop();
        watched.clients.stop();
      }
    }, lives * 1_500);

    afterAll(() => {
      const times = all.map(({ time }) => time).sort((a, b) => a - b);
      const errors = all.flatMap(({ runs }) => runs).flatMap(({ error }) => error ?? []);
      const hangs = all.reduce((sum, life) => sum + life.hangs, 0);
      const runs = all.map((life) => life.runs.length);
      const counts = Object.fromEntries(
        [...new Set(errors)].map((code) => [code, errors.filter((e) => e === code).length]),
      );
      console.log(
        `seed ${seed}: ${all.length} lifecycles, at most ${Math.max(...runs)} runs, median ${times[times.length >> 1]} ms, longest ${times.at(-1)} ms, ` +
          `errors ${JSON.stringify(counts)}, heap ${Math.round(growth / 1_024)} kB more, sockets ${socketsBefore} → ${socketsAfter}, Toxiproxy itself hung ${hangs} times`,
      );
    });

    async function liveAndNote(number: number, watched: Watched): Promise<ToxicLife> {
      const life = await liveThroughToxics(number, seed, watched);
      const kept = life.status === "completed" && life.last === life.first ? 1 : 0;
      noteResult({
        fault: `client: ${life.trouble}`,
        started: life.accepted,
        lost: life.accepted - kept,
        asked: life.runs.filter(({ error }) => error === "DOCS_AMBIGUOUS_START").length,
        time: life.time,
      });
      return life;
    }

    it("each has one job accepted, and no second start was tried after one that was accepted", () => {
      expect(all.filter(({ accepted }) => accepted !== 1)).toEqual([]);
    });

    it("every life ends completed, with its first job and a link that works", () => {
      expect(all).toHaveLength(lives);
      const lost = all.filter(
        ({ status, first, last, link }) => status !== "completed" || last !== first || link !== 206,
      );
      expect(lost).toEqual([]);
    });

    it("every error is one of the provider's own", () => {
      const foreign = all.filter(({ runs }) =>
        runs.some(({ error }) => error !== undefined && !/^DOCS_(?!INTERNAL)/.test(error)),
      );
      expect(foreign).toEqual([]);
    });

    it("an error without a state, and without a doubt, means that nothing was started", () => {
      const wrong = all.filter(({ runs }) =>
        runs.some(({ saved, doubtful, accepted }) => !saved && !doubtful && accepted > 0),
      );
      expect(wrong).toEqual([]);
    });

    it("an error with a state names the job, and one that leaves a doubt says how to adopt it", () => {
      const silent = all.filter(({ runs, first }) =>
        runs.some(({ error, message, saved, doubtful }) => {
          const expected = saved ? String(first) : doubtful ? 'jobId: "<the id of that job>"' : "";
          return error !== undefined && !message.includes(expected);
        }),
      );
      expect(silent).toEqual([]);
    });

    it(`each ends within ${deadline / 1_000} s`, () => {
      expect(all.filter(({ time }) => time > deadline)).toEqual([]);
    });

    it("a client keeps two connections at most, and none stays open after it", () => {
      expect(all.filter(({ held, left }) => held > 2 || left > 0)).toEqual([]);
      expect(socketsAfter).toBeLessThanOrEqual(socketsBefore);
    });

    it("memory stays flat", () => {
      expect(growth / (lives - warmUp)).toBeLessThan(30_000);
    });

    it("the troubles were real: many lifecycles needed a second run, or repeated a request", () => {
      const untroubled = all.filter(({ runs, requests }) => runs.length === 1 && requests <= 4);
      expect(untroubled.length).toBeLessThan(all.length * 0.8);
    });
  },
);
