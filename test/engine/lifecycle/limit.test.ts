import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect } from "vitest";
import { variant } from "../../support/campaign";
import { start, tally, testPlatform, testStack } from "../../support/engineTest";

/** The limit in requests per second. */
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
        // Without these settings, the engine would save all resources after each step, which takes long with 200
        // exports.
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
      // If this process is delayed, it notes the arrival of a request too late, so the delay is added to the tolerance.
      expect(overruns(times, delay.max / 1e6)).toEqual([]);
    },
    300_000,
  );
});

/**
 * The longest delay, in milliseconds, between a request's release by the limiter and its arrival at the platform. In
 * this time, the provider records the request and may open a connection. The unit tests of the limiter check the times
 * of the releases to the millisecond.
 */
const underWay = 500;

/**
 * Returns the lengths, in seconds, of the periods that had more requests than the limit allows. One more request is
 * allowed, because a period may both begin and end with a request.
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
