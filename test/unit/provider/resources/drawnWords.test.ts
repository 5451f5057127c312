import { expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { world } from "../../../support/fakePlatform";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawWord } from "../../../support/strangers/statuses";
import { toldByHost } from "../../../support/toldByHost";

const { staticExport, agentMessage } = toldByHost;
const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };

it("no word for a queued or running job ends a wait, in any style", async () => {
  const random = seededRandom(campaignSeed());
  const wrong: object[] = [];
  for (let draw = 0; draw < (campaign ? 2_000 : 200); draw++) {
    const status = drawWord(random, random.pick(["queue", "run"]));
    const { context, platform } = world();
    platform.looks = [{ status }, { status }, { status: "completed" }];
    platform.agentLooks = platform.looks;
    const ended = await Promise.all([
      staticExport.create({ domain: "docs.example.com" }, context),
      agentMessage.create(message, context),
    ]).then(
      (resources) => resources.map(({ state }) => state.status).join(),
      (error: Error) => error.message,
    );
    if (ended !== "completed,completed" || platform.calls.filter((call) => /^(get|agent) /.test(call)).length < 6) {
      wrong.push({ status, ended });
    }
  }
  expect(wrong).toEqual([]);
});
