import { afterAll, expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { noteLines } from "../../../support/campaignResults";
import { campaignSeed, seededRandom } from "../../../support/random";
import { type LifeRun, playPlatformLife, runs } from "../../../support/strangers/platformLife";
import {
  answeredRoutes,
  type RouteFamily,
  type RouteName,
  routeFamilies,
} from "../../../support/strangers/routeAnswers";

const cells = answeredRoutes.flatMap((route) => runs.map((run): [RouteName, LifeRun] => [route, run]));

/** The number of lives for each combination of a route and a run. */
const draws = campaign ? 6 : 1;

const counts: string[] = [];

afterAll(() => {
  if (campaign) {
    noteLines(counts);
  }
});

it.each(Object.entries(routeFamilies).map(([name, family], at) => [name, family, at] as const))(
  "a platform on which one route gives unusual answers in one run starts one job, gets one message, and is complete after the next usual run: %s",
  async (name, family: RouteFamily, at) => {
    const random = seededRandom(campaignSeed() + at);
    const broken: object[] = [];
    let met = 0;
    const chosen = campaign ? cells : cells.filter((_, cell) => (cell + at) % 4 === 0);
    for (const [route, run] of chosen) {
      for (let draw = 0; draw < draws; draw++) {
        const seed = random.whole(0, 1e9);
        const { text, troubles, isMet } = await playPlatformLife({ route, run, family, seed });
        met += isMet ? 1 : 0;
        broken.push(...(troubles.length > 0 ? [{ text, troubles }] : []));
      }
    }
    counts.push(`strange routes, ${name}: ${chosen.length * draws} lives, ${met} met, ${broken.length} broken`);
    expect(broken).toEqual([]);
    expect(met).toBeGreaterThan(0);
  },
  campaign ? 600_000 : 60_000,
);
