import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect } from "vitest";
import { variant } from "../../support/campaign";
import { start, tally, testPlatform, testStack } from "../../support/engineTest";

const limit = 20;
const count = 200;

describe("maxRequestsPerSecond", () => {
  variant(
    `is not passed by ${count} exports in one up, and every export ends`,
    async () => {
      const platform = await testPlatform({ jobTime: 1_000 });
      const times: number[] = [];
      platform.on("request", () => times.push(performance.now()));
      const stack = await testStack(platform, { sites: count });
      Object.assign(stack.environment, {
        DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND: String(limit),
        // By default, the engine saves all resources after each step, which takes long with 200 exports.
        PULUMI_EXPERIMENTAL: "true",
        PULUMI_SKIP_CHECKPOINTS: "true",
      });
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const { code, output, requests } = await stack.up("--parallel", String(count));
      delay.disable();
      expect(code, output).toBe(0);
      expect(tally(requests)[start]).toBe(count);
      const states = (await stack.resources()).filter(({ type }) => type.endsWith("StaticExport"));
      expect(states.map(({ outputs }) => outputs.status)).toEqual(Array.from({ length: count }, () => "completed"));
      // A delay of this process makes the recorded arrivals later, so the tolerance includes the delay.
      expect(overruns(times, delay.max / 1e6)).toEqual([]);
    },
    300_000,
  );
});

/**
 * The longest time, in milliseconds, from a request's release by the limiter to its arrival at the platform. The
 * limiter's unit tests check the exact time of each release.
 */
const underWay = 500;

/**
 * Returns the lengths, in seconds, of the periods that had too many requests. A period that begins and ends with a
 * request may contain one request more than the limit. So `allowed` adds 1.
 */
function overruns(times: readonly number[], heldUp: number): number[] {
  const spans = Array.from({ length: 30 }, (_, index) => index + 1);
  return spans.filter((seconds) => {
    const allowed = (limit * (seconds * 1_000 + underWay + heldUp)) / 1_000 + 1;
    return times.some((begin, index) => {
      const inSpan = times.slice(index).filter((time) => time < begin + seconds * 1_000);
      return inSpan.length > allowed;
    });
  });
}
