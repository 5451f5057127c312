import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { campaignSeed, seededRandom } from "../support/random";
import { keepHost } from "./keepHost";
import { tellDrawn } from "./terraformDraws";

/** The number of stories in one test. */
const stories = campaign ? 50_000 : 100;

keepHost();

describe("drawn lives of exports, messages, links, data sources and actions in Terraform, with values, flags and ends of all kinds,", () => {
  it(
    `break no rule of core and lose, double or mistake no job and no message, in ${stories} of them`,
    async () => {
      const seed = campaignSeed();
      const begin = process.cpuUsage();
      for (let number = 0; number < stories; number++) {
        const { problems, story } = await tellDrawn(seededRandom(seed + number), number);
        expect(problems, `story ${number} of seed ${seed}\n${story.join("\n")}`).toEqual([]);
      }
      if (campaign) {
        const { user, system } = process.cpuUsage(begin);
        noteLines([
          `drawn in Terraform: ${stories} stories of seed ${seed}, ${((user + system) / 1e6).toFixed(0)} s of CPU`,
        ]);
      }
    },
    stories * 2_000,
  );
});
