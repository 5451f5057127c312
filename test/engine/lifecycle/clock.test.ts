import { describe, expect, it } from "vitest";
import { mint, stackAfterUp, testPlatform } from "../../support/engineTest";

const nothing = { code: 0, requests: [] };
const minutes = 60_000;
const linkLife = 20 * minutes;

describe("a platform whose clock is ten minutes off this machine's", () => {
  it("has its links renewed at the right time: none before, one after, and the user is told of both times", async () => {
    await Promise.all(
      [10 * minutes, -10 * minutes].map(async (clockOffset) => {
        const platform = await testPlatform({ clockOffset, linkLife });
        const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
        const site = { domain: "docs.example.com", jobId };
        const stack = await stackAfterUp(platform, { site });
        stack.declare({ site, bundle: { renewBefore: "1m" } });
        const begin = Date.now();
        const { code, output } = await stack.up();
        const end = Date.now();
        expect(code).toBe(0);
        expect(output).toMatch(/this machine's clock says \S+Z, but the platform's clock says \S+Z/);
        const { issuedAt, expiresAt } = await stack.outputs();
        // Both times are by the platform's clock. A Date header has whole seconds.
        const issued = Date.parse(String(issuedAt)) - clockOffset;
        const expires = Date.parse(String(expiresAt)) - clockOffset;
        expect(issued).toBeGreaterThan(begin - 2_000);
        expect(issued).toBeLessThan(end + 2_000);
        // Both clocks go on, to just before the margin and to just after it.
        const pass = (time: number) => {
          stack.setClockAhead(time);
          platform.clockOffset = clockOffset + time;
        };
        pass(expires - Date.now() - 3 * minutes);
        expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
        pass(expires - Date.now() - minutes + 1_000);
        expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
        expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
      }),
    );
  });
});
