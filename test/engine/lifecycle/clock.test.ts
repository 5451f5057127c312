import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mint, stackAfterUp, testPlatform } from "../../support/engineTest";

const nothing = { code: 0, requests: [] };
const minutes = 60_000;
const linkLife = 25_000;
const margin = 1_000;

describe("a platform whose clock is ten minutes off this machine's", () => {
  it("has its links renewed at the right time: none before, one after, and the user is told of both times", async () => {
    await Promise.all(
      [10 * minutes, -10 * minutes].map(async (clockOffset) => {
        const platform = await testPlatform({ clockOffset, linkLife });
        const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
        const site = { domain: "docs.example.com", jobId };
        const stack = await stackAfterUp(platform, { site });
        stack.declare({ site, bundle: { renewBefore: `${margin}ms` } });
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
        const early = await stack.up("--expect-no-changes");
        // On a very slow machine the link may be due by now; then this shows nothing.
        expect(Date.now() < expires - margin - 2_000 ? early : nothing).toMatchObject(nothing);
        await sleep(Math.max(0, expires + 1_000 - Date.now()));
        platform.linkLife = 30 * minutes;
        expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
        expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
      }),
    );
  });
});
