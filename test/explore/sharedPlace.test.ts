import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { describeFailure, explore } from "./schedule";
import { killedScripts, type SharedScript, sharedScripts, tellOfShared } from "./sharedPlace";

async function exploreShared(script: SharedScript) {
  const begin = process.cpuUsage();
  const chosen = campaign ? { ...script, ...script.long } : script;
  const { schedules, isWhole, failures } = await explore((schedule) => tellOfShared(chosen, schedule), chosen.budget, {
    prunes: false,
  });
  const { user, system } = process.cpuUsage(begin);
  if (campaign) {
    noteLines([`explored: ${script.name}: ${schedules} schedules, ${((user + system) / 1e6).toFixed(1)} s of CPU`]);
  }
  expect(failures.map(describeFailure).join("\n\n")).toBe("");
  expect({ isWhole, many: schedules > 5 }).toEqual({ isWhole: true, many: true });
}

describe("mirrors of two runs at one place lose no file, mix no sites, and leave nothing", () => {
  const all = [...sharedScripts, ...killedScripts];
  it.each(campaign ? all : all.filter(({ slow }) => !slow))("$name", exploreShared, 900_000);
});
