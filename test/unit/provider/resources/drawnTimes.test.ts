import { expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { clientFor } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";
import { answer, serve } from "../../../support/loopback";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawTimes } from "../../../support/strangers/times";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const draws = campaign ? 600 : 60;
const inputs = { domain: "docs.example.com" };
/** The duration of the job, and the precision of the platform's clock, both in milliseconds. */
const [life, second] = [5_000, 1_000];

it.each([false, true])(
  "the times in a job's record, of which some may be zeros become the export's only if they can be its times (after a kill: %j)",
  async (isKilled) => {
    const random = seededRandom(campaignSeed());
    const wrong: object[] = [];
    let now = 0;
    let record: object = {};
    const server = await serve((response, exchange) => {
      const body = exchange.request.method === "POST" ? { jobId: "job-1" } : record;
      answer(200, body, { date: new Date(now).toUTCString() })(response, exchange);
    });
    for (let draw = 0; draw < draws; draw++) {
      const { context, clock, journal } = world();
      const client = clientFor(server.url, { clock });
      const begin = clock.now() + second;
      now = begin + life;
      clock.setAhead(now - clock.now());
      const { fields, hasEnd } = drawTimes(random, begin, now);
      record = { jobId: "job-1", status: "completed", ...fields };
      journal.earlier = isKilled ? { id: "job-1", acceptedAt: begin, earliestBegin: begin } : undefined;
      const { state, problem } = await throwingLifecycles.staticExport
        .create(inputs, { ...context, connect: async () => client })
        .then((outcome) => ({ problem: undefined, ...outcome }))
        .catch((error: Error) => ({ problem: error, state: undefined }));
      const { startedAt, completedAt } = state ?? {};
      const [started = 0, completed = 0] = [startedAt, completedAt].map((time) => Date.parse(time ?? ""));
      const isOfJob = (time: number) => time >= begin - second && time <= now + second;
      const isEnd = hasEnd ? Math.abs(completed - now) < second : isOfJob(completed);
      // The run after a kill may not know when the job started.
      if (problem || !(isOfJob(started) || (isKilled && startedAt === undefined)) || !isEnd) {
        wrong.push({ fields, startedAt, completedAt, problem: problem?.message.split("\n")[0] });
      }
    }
    expect(wrong).toEqual([]);
  },
);
