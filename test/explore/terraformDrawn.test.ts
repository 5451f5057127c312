import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { campaignSeed, seededRandom } from "../support/random";
import { textValue } from "../support/terraform/cty";
import { keepHost } from "./keepHost";
import { Schedule } from "./schedule";
import { tellDrawn } from "./terraformDraws";
import { tellOfTerraform } from "./terraformStory";

/** The first story of each test, and the number of its stories. Two processes share a campaign by `-t "stories [01]"` and `-t "stories [2-4]"`. */
const stories = campaign ? 10_000 : 50;
const begins = campaign ? [0, 1, 2, 3, 4].map((part) => part * stories) : [0];

keepHost();

describe("drawn lives of exports, messages, links, data sources and actions in Terraform, with values, flags and ends of all kinds,", () => {
  it.each(begins.map((first) => [first, first + stories - 1]))(
    "break no rule of core and lose, double or mistake no job and no message, in stories %i to %i",
    async (first, last) => {
      const seed = campaignSeed();
      const begin = process.cpuUsage();
      const reports: string[] = [];
      let shown = "";
      for (let number = first; number <= last; number++) {
        const { problems, story } = await toldOf(seed, number);
        if (problems.length > 0) {
          reports.push(`story ${number} of seed ${seed}: ${problems.join("; ")}`);
          shown ||= story.join("\n");
        }
      }
      if (campaign) {
        const { user, system } = process.cpuUsage(begin);
        const seconds = ((user + system) / 1e6).toFixed(0);
        noteLines([`drawn in Terraform: stories ${first} to ${last} of seed ${seed}, ${seconds} s of CPU`, ...reports]);
      }
      expect(reports, `the first of them:\n${shown}`).toEqual([]);
    },
    stories * 2_000,
  );
});

it("data sources ask the model's platform, and no network", async () => {
  const schedule = new Schedule({ prefix: [] }, {});
  const ofAgent = { type: "docsplatform_agent_job", config: { job_id: textValue("agent-1") } };
  const ofExport = { type: "docsplatform_static_export", config: { job_id: textValue("theirs-1") } };
  const reads = [ofAgent, ofExport].map((read) => ({ kind: "dataSources" as const, ...read }));
  const script = { name: "two data sources", commands: [{ kind: "apply" as const, blocks: { reads } }], budget: {} };
  expect(await tellOfTerraform(script, schedule)).toEqual([]);
  const story = schedule.story.join("\n");
  expect(story).toContain("looks at agent-1");
  expect(story).toContain("looks at theirs-1");
  expect(story).not.toContain("    red:");
});

async function toldOf(seed: number, number: number): Promise<{ problems: string[]; story: string[] }> {
  try {
    return await tellDrawn(seededRandom(seed + number), number);
  } catch (error) {
    return { problems: [String(error)], story: [] };
  }
}
