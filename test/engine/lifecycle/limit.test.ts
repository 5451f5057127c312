import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { start, tally, testPlatform, testStack } from "../../support/engineTest";

/** Requests a second. */
const limit = 20;
const count = 200;

describe("maxRequestsPerSecond", () => {
  it("is not passed by 200 exports in one up, and every export ends", { timeout: 300_000 }, async () => {
    const platform = await testPlatform({ jobTime: 1_000 });
    const times: number[] = [];
    platform.on("request", () => times.push(performance.now()));
    const stack = await testStack(platform, { sites: count });
    Object.assign(stack.environment, {
      DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND: String(limit),
      // Else the engine saves all 200 after each step.
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
    // What came while this process was held up bears a later time than it came at.
    expect(overruns(times, delay.max / 1e6)).toEqual([]);
  });
});

/**
 * Milliseconds from the turn of a request, which the limit spaces, until it arrives: a start is recorded in between, and may
 * open a connection. Unit tests of the limiter hold the turns themselves to the millisecond.
 */
const underWay = 500;

/** The spans, in seconds, that hold more requests than the limit allows, one at each end included. */
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
