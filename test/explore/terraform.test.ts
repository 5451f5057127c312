import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { keepHost } from "./keepHost";
import { describeFailure, explore, Schedule } from "./schedule";
import { longTerraformScripts, terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

keepHost();

it("a plan of several new resources beside another lists the journal once", async () => {
  const schedule = new Schedule({ prefix: [] }, {});
  const commands = [{ kind: "apply" }, { kind: "apply", equal: 4 }] as const;
  expect(await tellOfTerraform({ name: "one, and three more", commands, budget: {} }, schedule)).toEqual([]);
  expect(schedule.story.filter((line) => line === "plan 2: lists")).toHaveLength(1);
});

describe("on Terraform no job is lost, started twice, or handed out for another one, wherever a run ends", () => {
  const short = terraformScripts.filter(({ slow }) => !slow);
  it.each(campaign ? [...terraformScripts, ...longTerraformScripts] : short)(
    "$name",
    async (script) => {
      const begin = process.cpuUsage();
      const tell = (schedule: Schedule) => tellOfTerraform(script, schedule);
      const { schedules, states, isWhole, failures } = await explore(tell, script.budget);
      const { user, system } = process.cpuUsage(begin);
      if (campaign) {
        const seconds = ((user + system) / 1e6).toFixed(1);
        noteLines([
          `explored: Terraform: ${script.name}: ${schedules} schedules, ${states} states, ${seconds} s of CPU`,
        ]);
      }
      expect(failures.map(describeFailure).join("\n\n")).toBe("");
      expect({ isWhole, many: schedules > 1 }).toEqual({ isWhole: true, many: true });
    },
    900_000,
  );
});
