import { describe, expect, it } from "vitest";
import { anError, look, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { until } from "../../support/until";

const domain = "docs.example.com";

describe("a platform that runs one job at a time for a domain", () => {
  it("lets a second stack wait for the first one's job, and then start its own", async () => {
    const platform = await testPlatform({ jobTime: 600_000, oneJobPerDomain: true });
    const first = await testStack(platform, { site: { domain } });
    const second = await testStack(platform, { site: { domain } });
    const running = first.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    const theirs = String(platform.jobs.list()[0]?.jobId);
    platform.jobTime = 50;
    const looksAtTheirs = () => platform.requests.slice(refused()).filter(({ path }) => path.endsWith(theirs)).length;
    const refused = () => platform.requests.findIndex(({ status }) => status === 409);
    const waiting = second.start("up", "--yes", "--skip-preview");
    await until(() => refused() >= 0 && looksAtTheirs() > 2);
    platform.jobs.complete(theirs);
    const [one, two] = [await running.ended, await waiting.ended];
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(two.output).toContain(`export job ${theirs} of ${domain} is already running`);
    expect(two.output).toContain(`jobId: "${theirs}"`);
    expect(two.output).toContain(`waiting for export job ${theirs}`);
    expect(platform.starts).toBe(2);
    expect(await first.outputs()).toMatchObject({ jobId: theirs, status: "completed" });
    expect(await second.outputs()).toMatchObject({ jobId: platform.jobs.list()[1]?.jobId, status: "completed" });
    expect(await second.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("is a conflict where that job outlasts waitTimeout, with the lines that adopt it, which cost no start", async () => {
    const platform = await testPlatform({ jobTime: 600_000, oneJobPerDomain: true });
    const { jobId } = platform.jobs.add({ domain });
    const stack = await testStack(platform, { site: { domain, waitTimeout: "2s" } });
    const { code, output, requests } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_CONFLICT");
    expect(output).toContain("no export job of docs.example.com was started");
    expect(output).toContain(`new StaticExport("…", { domain: "${domain}", jobId: "${jobId}" })`);
    expect(Object.keys(tally(requests))).toEqual([start, look(jobId)]);
    expect(tally(requests)[start]).toBe(1);
    expect(await stack.state("site")).toBeUndefined();
    platform.jobs.complete(jobId);
    stack.declare({ site: { domain, jobId } });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(0);
  });
});

describe("a start whose answer was lost, and that the user calls not started,", () => {
  it("waits for an older job that is in the way, which is somebody else's, and starts its own", async () => {
    const platform = await testPlatform({ jobTime: 50, oneJobPerDomain: true });
    const stack = await testStack(platform, { site: { domain } });
    platform.inject({ operation: "startExport", kind: "reset" });
    // By its own clock the start is sent an hour after the job began that is in its way later.
    stack.setClockAhead(3_600_000);
    const lost = await stack.up();
    expect(lost.code).toEqual(anError);
    const [, code] = /DOCS_PLATFORM_NOT_STARTED=([0-9a-f]{12}) /.exec(lost.output) ?? [];
    expect(code).toBeDefined();
    platform.jobTime = 600_000;
    const { jobId: theirs } = platform.jobs.add({ domain });
    platform.jobTime = 50;
    stack.setClockAhead(0);
    stack.environment.DOCS_PLATFORM_NOT_STARTED = code;
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.requests.filter(({ path }) => path.endsWith(theirs)).length > 2);
    platform.jobs.complete(theirs);
    const { code: next, output } = await running.ended;
    expect(next, output).toBe(0);
    expect(output).toContain(`export job ${theirs} of ${domain} is already running`);
    const { jobId } = await stack.outputs();
    expect({ isTheirs: jobId === theirs, starts: platform.starts }).toEqual({ isTheirs: false, starts: 1 });
  });
});
