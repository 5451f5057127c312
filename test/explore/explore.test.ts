import { describe, expect, it } from "vitest";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { campaignSeed, seededRandom } from "../support/random";
import { restoreWordsAfterTests } from "./restoreWordsAfterTests";
import { describeFailure, type Exploration, explore, sample } from "./schedule";
import { stepCounts } from "./startSteps";
import { type Played, suites } from "./suites";

restoreWordsAfterTests();

const chosen = (all: readonly Played[]) => all.filter(({ slow }) => campaign || !slow);

const explorations = new Map<string, Promise<Exploration>>();

/** Explores each script once, and then returns the stored result. */
function explored({ name, budget, play }: Played): Promise<Exploration> {
  const exploration = explorations.get(name) ?? explore(play, budget);
  explorations.set(name, exploration);
  return exploration;
}

function expectSound(what: string, { schedules, disturbances, failure }: Exploration, begin: NodeJS.CpuUsage): void {
  if (campaign) {
    const { user, system } = process.cpuUsage(begin);
    const seconds = ((user + system) / 1e6).toFixed(1);
    noteLines([`${what}: ${schedules} schedules, ${disturbances} disturbances, ${seconds} s of CPU`]);
  }
  expect(failure && describeFailure(failure)).toBeUndefined();
  expect(disturbances).toBeGreaterThan(0);
}

describe.each(Object.entries(suites))("%s, wherever a run ends:", (_, all) => {
  it.each(chosen(all))(
    "$name",
    async (script) => {
      const begin = process.cpuUsage();
      expectSound(`explored: ${script.name}`, await explored(script), begin);
    },
    900_000,
  );

  it.each(campaign ? all : [])(
    "$name, in drawn schedules with more disturbances",
    async ({ name, budget: { end = 0, fault = 0, turn = 0 }, play }) => {
      const begin = process.cpuUsage();
      // The turns are multiplied, because a script without turns must stay without turns.
      const more = { end: end + 2, fault: fault + 2, turn: turn * 2 };
      expectSound(`drawn: ${name}`, await sample(play, more, 500, seededRandom(campaignSeed())), begin);
    },
    900_000,
  );
});

it("together, the scripts take every step of a start that its table names", async () => {
  for (const script of Object.values(suites).flatMap(chosen)) {
    await explored(script);
  }
  if (campaign) {
    noteLines([...stepCounts].map(([step, count]) => `step of a start: ${step}: ${count} times`));
  }
  expect([...stepCounts].filter(([, count]) => count === 0)).toEqual([]);
  expect(stepCounts.size).toBeGreaterThan(10);
}, 900_000);
