import { setTimeout as sleep } from "node:timers/promises";
import { type Platform, startPlatform } from "../../../simulator/index";
import { curlTemplate, type Incumbent, program } from "./side";

/** The cost of one export; times are seconds. */
export interface Cost {
  starts: number;
  requests: number;
  /** The time from the job's completion to the request that reported it. */
  delay: number;
  /** The time from the begin of the run until the link is there. */
  wall: number;
}

export interface Result {
  /** One cost for each job, in the order of the job times. */
  first: Cost[];
  /** The cost of a second run when nothing has changed and the link is good. */
  again: Pick<Cost, "starts" | "requests">;
  /** The cost of a run after the link has expired. */
  afterExpiry: Pick<Cost, "starts" | "requests">;
  stateBytes: number | undefined;
  keyInClear: boolean;
}

const sides = {
  "curl template": async (platform: Platform, domain: string) => curlTemplate(platform, domain),
  "hand-written provider": (platform: Platform, domain: string) => program("handWritten", platform, domain),
  "this provider": (platform: Platform, domain: string) => program("ours", platform, domain),
} as const;

/** The life of a link, in milliseconds. It is long enough for a run right after the first one to find the link good. */
const queueTime = 2_000;
const linkLife = 60_000;

/**
 * Lets every side export a site of its own on one platform at the same time, once for each job time. After the last
 * job, each side runs twice more: at once, and after its link has expired.
 * @param jobTimes milliseconds.
 */
export async function compare(jobTimes: readonly number[]): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  for (const [round, jobTime] of jobTimes.entries()) {
    const platform = await startPlatform({ queueTime, jobTime, linkLife });
    try {
      const opened = await openSides(platform);
      try {
        await Promise.all(
          opened.map(async ({ name, domain, side }) => {
            const first = await costOf(platform, domain, side);
            results[name] ??= { first: [], again: none, afterExpiry: none, stateBytes: undefined, keyInClear: false };
            results[name].first.push(first);
            if (round === jobTimes.length - 1) {
              await runAgain(platform, domain, side, results[name]);
            }
          }),
        );
      } finally {
        await Promise.all(opened.map(({ side }) => side.remove()));
      }
    } finally {
      await platform.close();
    }
  }
  return results;
}

function openSides(platform: Platform): Promise<{ name: string; domain: string; side: Incumbent }[]> {
  return Promise.all(
    Object.entries(sides).map(async ([name, open]) => {
      const domain = `${name.replaceAll(" ", "-")}.example.com`;
      return { name, domain, side: await open(platform, domain) };
    }),
  );
}

async function runAgain(platform: Platform, domain: string, side: Incumbent, result: Result): Promise<void> {
  const minted = Date.now();
  result.stateBytes = await side.stateBytes();
  result.keyInClear = side.keepsKeyInClear();
  result.again = await costOf(platform, domain, side);
  await sleep(Math.max(0, minted + linkLife - Date.now()));
  result.afterExpiry = await costOf(platform, domain, side);
}

const none = { starts: 0, requests: 0 };

/** Runs the side once, and reads its cost from the platform's own log. */
async function costOf(platform: Platform, domain: string, side: Incumbent): Promise<Cost> {
  const jobsOf = () => platform.jobs.list().filter((job) => job.domain === domain);
  const jobsBefore = jobsOf().length;
  const before = platform.requests.length;
  const begin = performance.now();
  await side.run();
  const wall = (performance.now() - begin) / 1_000;
  const jobs = jobsOf();
  const own = platform.requests.slice(before).filter(({ path }) => jobs.some(({ jobId }) => path.includes(jobId)));
  const starts = jobs.length - jobsBefore;
  const completedAt = jobs.at(-1)?.completedAt ?? 0;
  const noticed = own.find(({ operation, at }) => operation === "getExport" && at >= completedAt);
  return {
    starts,
    requests: own.length + starts,
    delay: noticed && starts > 0 ? (noticed.at - completedAt) / 1_000 : 0,
    wall,
  };
}
