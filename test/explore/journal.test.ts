import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { campaignSeed } from "../support/random";
import { sampled } from "./sampled";
import { describeFailure, explore } from "./schedule";
import { drawnScripts, longScripts, mirrorScripts, scripts, shortened, siteScripts } from "./scripts";
import { ModelStore } from "./store";
import { type Script, tell } from "./story";
import { surroundingsOf } from "./surroundings";

async function exploreWhole(script: Script, prunes = true) {
  return explore((schedule) => tell(script, schedule, surroundingsOf(script)), script.budget, { prunes });
}

async function exploreAll(script: Script) {
  const begin = process.cpuUsage();
  const { schedules, states, isWhole, failures } = await exploreWhole(script);
  const { user, system } = process.cpuUsage(begin);
  if (campaign) {
    const seconds = ((user + system) / 1e6).toFixed(1);
    noteLines([`explored: ${script.name}: ${schedules} schedules, ${states} states, ${seconds} s of CPU`]);
  }
  expect(failures.map(describeFailure).join("\n\n")).toBe("");
  expect({ isWhole, many: schedules > 10 }).toEqual({ isWhole: true, many: true });
}

describe("no job is lost, started twice, or handed out for another one, wherever a run ends", () => {
  it.each(campaign ? [...scripts, ...longScripts] : scripts.map(shortened))("$name", exploreAll, 900_000);
});

describe("a mirror loses no file, and touches none of others, wherever a run ends", () => {
  const some = [...mirrorScripts, ...siteScripts.slice(0, 2)].filter(({ slow }) => !slow).map(shortened);
  it.each(campaign ? [...mirrorScripts, ...siteScripts] : some)("$name", exploreAll, 900_000);
});

describe("the same in schedules that are drawn", () => {
  it.each(drawnScripts)(
    "$name",
    async (script) => {
      const begin = process.cpuUsage();
      const found = await sampled(script, campaign ? 3_000 : 40, campaignSeed());
      const { user, system } = process.cpuUsage(begin);
      if (campaign) {
        const seconds = ((user + system) / 1e6).toFixed(1);
        noteLines([
          `drawn: ${script.name}: ${found.schedules} schedules, ${found.disturbances} disturbances, ${seconds} s of CPU`,
        ]);
      }
      expect(found.failures.map(describeFailure).join("\n\n")).toBe("");
    },
    900_000,
  );
});

describe("the explorer", () => {
  const twice: Script = {
    name: "a bucket whose lists are late twice",
    commands: [{ kind: "up" }, { kind: "up" }],
    ends: ["kill"],
    budget: { end: 1, fault: 2 },
    store: { listsLate: true },
  };

  it("finds the one start too many of a server whose lists lack an entry twice, and tells it as a story", async () => {
    const { failures } = await exploreWhole(twice);
    const story = failures.map(describeFailure).join();
    expect(story).toContain("=> DOUBLE: 2 starts, 1 asked for");
    expect(story.match(/lacks what others have put\]/g)).toHaveLength(2);
  });

  it("makes a schedule that was drawn as short as its story is", async () => {
    class ForgetfulStore extends ModelStore {
      override async put(): Promise<void> {}
    }
    const [script] = drawnScripts as [Script];
    const { failures } = await sampled(script, 100, 1, ForgetfulStore);
    const [{ story = [] } = {}] = failures;
    expect(story.filter((line) => line.startsWith("! "))).toHaveLength(1);
    expect(story.filter((line) => line.startsWith("--- ")).length).toBeLessThanOrEqual(3);
  });

  it("finds nothing else where it compares no states: what it leaves out is what it has seen", async () => {
    const [script] = scripts;
    const { schedules, failures } = await exploreWhole({ ...(script as Script), budget: { end: 1 } }, false);
    const pruned = await exploreWhole({ ...(script as Script), budget: { end: 1 } });
    expect(failures).toEqual(pruned.failures);
    expect(schedules).toBeGreaterThanOrEqual(pruned.schedules);
  });
});
