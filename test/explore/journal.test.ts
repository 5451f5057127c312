import { describe, expect, it } from "vitest";
import { noteLines } from "../../tools/commands/campaign/results";
import { campaign } from "../support/campaign";
import { describeFailure, explore } from "./schedule";
import { longScripts, scripts, shortened } from "./scripts";
import { type Script, tell } from "./story";
import { surroundingsOf } from "./surroundings";

async function exploreWhole(script: Script, prunes = true) {
  return explore((schedule) => tell(script, schedule, surroundingsOf(script)), script.budget, { prunes });
}

describe("no job is lost, started twice, or handed out for another one, wherever a run ends", () => {
  it.each(campaign ? [...scripts, ...longScripts] : scripts.map(shortened))(
    "$name",
    async (script) => {
      const begin = process.cpuUsage();
      const { schedules, states, isWhole, failures } = await exploreWhole(script);
      const { user, system } = process.cpuUsage(begin);
      if (campaign) {
        const seconds = ((user + system) / 1e6).toFixed(1);
        noteLines([`explored: ${script.name}: ${schedules} schedules, ${states} states, ${seconds} s of CPU`]);
      }
      expect(failures.map(describeFailure).join("\n\n")).toBe("");
      expect({ isWhole, many: schedules > 20 }).toEqual({ isWhole: true, many: true });
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

  it("finds nothing else where it compares no states: what it leaves out is what it has seen", async () => {
    const [script] = scripts;
    const { schedules, failures } = await exploreWhole({ ...(script as Script), budget: { end: 1 } }, false);
    const pruned = await exploreWhole({ ...(script as Script), budget: { end: 1 } });
    expect(failures).toEqual(pruned.failures);
    expect(schedules).toBeGreaterThanOrEqual(pruned.schedules);
  });
});
