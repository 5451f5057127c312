import { expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { clientFor, clientOperations, rejection } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawRefusal } from "../../../support/strangers/refusals";

const draws = campaign ? 2_000 : 84;
const statuses = [400, 401, 403, 409, 422, 429, 500] as const;

it("a refusal is quoted in the platform's words, on one line, whichever framework wrote it", async () => {
  const random = seededRandom(campaignSeed());
  let status = 400;
  let body: unknown = "";
  const server = await serve((response, exchange) => answer(status, body)(response, exchange));
  const lost: object[] = [];
  for (let draw = 0; draw < draws; draw++) {
    status = random.pick(statuses);
    const refusal = drawRefusal(random, draw, status);
    body = refusal.body;
    const { message } = await rejection(clientOperations.getExport(clientFor(server.url, { maxRetries: 0 })));
    const [happened = ""] = message.split("\n");
    if (!happened.includes(refusal.said.trim()) || !happened.includes(refusal.field ?? "")) {
      lost.push({ ...refusal, status, happened });
    }
  }
  expect(lost).toEqual([]);
});
