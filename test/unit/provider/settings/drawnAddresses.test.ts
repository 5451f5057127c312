import { expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { clientFor, clientOperations } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";
import { campaignSeed, seededRandom } from "../../../support/random";
import { problemsOf, settingsFrom } from "../../../support/settingsUnderTest";
import { drawAddress } from "../../../support/strangers/addresses";

const draws = campaign ? 2_000 : 120;

it("a base URL is used as written, or refused by name without showing it", async () => {
  const random = seededRandom(campaignSeed());
  const server = await serve(answer(200, { jobId: "job-1", status: "running" }));
  const wrong: object[] = [];
  let refused = 0;
  for (let draw = 0; draw < draws; draw++) {
    const { text, isRefused, path, secret } = drawAddress(random, `127.0.0.1:${server.port}`);
    const given = { DOCS_PLATFORM_BASE_URL: text };
    const shown = problemsOf(given).join("\n");
    if (shown !== "") {
      refused++;
      if (!isRefused || !shown.includes("baseUrl") || (secret !== undefined && shown.includes(secret))) {
        wrong.push({ text, shown });
      }
      continue;
    }
    await clientOperations.getExport(clientFor(settingsFrom(given).baseUrl));
    const asked = server.requests.at(-1)?.url;
    if (isRefused || asked !== `${path}/v1/static-export/jobs/job-1`) {
      wrong.push({ text, asked });
    }
  }
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(draws);
});
