import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { keepHost } from "./keepHost";
import { describeFailure, explore } from "./schedule";
import { longTerraformScripts, terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

keepHost();

describe("on Terraform no job is lost, started twice, or handed out for another one, wherever a run ends", () => {
  const short = terraformScripts.filter(({ slow }) => !slow);
  it.each(campaign ? [...terraformScripts, ...longTerraformScripts] : short)(
    "$name",
    async (script) => {
      const begin = process.cpuUsage();
      const tell = (schedule: Parameters<typeof tellOfTerraform>[1]) => tellOfTerraform(script, schedule);
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
