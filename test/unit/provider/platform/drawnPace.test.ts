import { describe, expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { clientFor, never } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";
import { answer, type Reply, serve } from "../../../support/loopback";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawPace } from "../../../support/strangers/pace";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const draws = campaign ? 150 : 24;
const done = { jobId: "job-1", status: "completed" };
const link = { bundleUrl: "https://files.example.com/bundle.tar.gz?sig=abc", expiresAt: "2126-01-31T10:00:00Z" };

/** The requests of an export. The first answer to each request may ask for a pause. */
const operations = [
  ["a start that is refused", "POST /v1/static-export/jobs", answer(429, { error: "limit" })],
  ["a look that is refused", "GET /v1/static-export/jobs/job-1", answer(429, { error: "limit" })],
  ["a look that is answered", "GET /v1/static-export/jobs/job-1", answer(200, { jobId: "job-1", status: "running" })],
  ["a mint that is refused", "POST /v1/static-export/jobs/job-1/bundle", answer(429, { error: "limit" })],
  ["a mint whose bundle is packed now", "POST /v1/static-export/jobs/job-1/bundle", answer(202, { status: "packing" })],
] as const;

describe("a platform that names the pace of requests, in any manner", () => {
  it.each(operations)("is asked again after that time, and not before: %s", async (_, request, first) => {
    const random = seededRandom(campaignSeed());
    const isRefused = first === operations[0][2] || first === operations[1][2] || first === operations[3][2];
    const late: object[] = [];
    const manners = new Set<string>();
    for (let draw = 0; draw < draws; draw++) {
      const { context, clock, answered } = await platformWith(request, first);
      const pace = drawPace(random, clock.now());
      answered.headers = pace.headers;
      await throwingLifecycles.staticExport.create({ domain: "docs.example.com" }, context);
      await throwingLifecycles.exportBundle.create({ jobId: "job-1", version: "job-1" }, context);
      manners.add(pace.manner);
      const [before = 0, after = 0] = answered.times;
      const named = isRefused ? pace.rest : pace.restOfGoodAnswer;
      // If the platform asks for no pause, the provider's first pause is shorter than 10 seconds.
      const most = Math.max(named ?? 0, 10_000);
      if (after - before < (named ?? 1) || after - before > most) {
        late.push({ ...pace, rested: after - before });
      }
    }
    expect(manners.size).toBe(6);
    expect(late).toEqual([]);
  });
});

/** Makes a platform that adds headers to its first answer to `request`. Also returns the times of this request. */
async function platformWith(request: string, first: Reply) {
  const here = world({ waitsOutLimits: true, maxRetries: 4 });
  const answered = { headers: {}, times: [] as number[] };
  const usual: Record<string, Reply> = {
    POST: answer(202, { jobId: "job-1" }),
    GET: answer(200, done),
  };
  const server = await serve((response, exchange) => {
    const { method, url } = exchange.request;
    if (`${method} ${url}` === request && answered.times.push(here.clock.now()) === 1) {
      for (const [name, value] of Object.entries(answered.headers)) {
        response.setHeader(name, value as string);
      }
      first(response, exchange);
      return;
    }
    const reply = url.endsWith("/bundle") ? answer(200, link) : (usual[method] as Reply);
    reply(response, exchange);
  });
  const client = clientFor(server.url, { clock: here.clock, waitsOutLimits: true, maxRetries: 4 });
  return { ...here, answered, context: { ...here.context, signal: never, connect: async () => client } };
}
