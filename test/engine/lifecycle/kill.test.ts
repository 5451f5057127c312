import { readFileSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { campaign, variant } from "../../support/campaign";
import { noteResult } from "../../support/campaignResults";
import type { DeclaredProgram, EngineStack } from "../../support/engineStack";
import { anError, look, stackAfterUp, testPlatform, testStack } from "../../support/engineTest";
import {
  completionTold,
  journalOf,
  killAll,
  providersOf,
  removeCutAttributes,
  savedStateOf,
  seeded,
  signalCommand,
} from "../../support/fixtures/kills";
import { until } from "../../support/until";

const site: DeclaredProgram = { site: { domain: "docs.example.com" } };
const jobTime = 2_500;

const random = seeded(Number(process.env.CAMPAIGN_SEED ?? 20_261_121));
/** The campaign kills more often. A third of its kills come while the end is reported and saved. */
const anyTime = Array.from({ length: campaign ? 40 : 2 }, (_, n) => [n, Math.round(random() * (jobTime + 500))]);
const atTheEnd = Array.from({ length: campaign ? 20 : 0 }, (_, n) => [n, Math.round(random() * 50)]);

const report = (fault: string, started: number, time: number) =>
  // Returns undefined if the run that was asked about has not ended well.
  noteResult({ fault, started, lost: started - 1, asked: 0, time });

async function upAfterKill(stack: EngineStack) {
  removeCutAttributes(stack);
  await stack.pulumi("cancel", "--yes");
  const begin = Date.now();
  return { ...(await stack.up()), milliseconds: Date.now() - begin };
}

describe("a run that is killed with its provider process", () => {
  it.each(anyTime)("goes on with the same job in the next run: kill %i, %i ms after the start", async (_, delay) => {
    const platform = await testPlatform({ jobTime });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    // The platform's answer and our write of it are a few milliseconds apart. This test leaves that gap out.
    await until(() => platform.starts > 0);
    await sleep(50 + delay);
    killAll(stack);
    await running.ended;
    const { code, milliseconds } = await upAfterKill(stack);
    report("kill at any time", platform.starts, milliseconds);
    expect({ code, starts: platform.starts }).toEqual({ code: 0, starts: 1 });
    expect((await stack.outputs()).status).toBe("completed");
  });

  it("with other inputs is named by the next run, and is not used once the inputs come back", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const stack = await testStack(platform, site);
    const triggered = (triggers: string) => ({ site: { ...site.site, triggers } });
    stack.declare(triggered("1"));
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.requests.some(({ method }) => method === "GET"));
    killAll(stack);
    await running.ended;
    platform.jobTime = 0;
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.declare(triggered("2"));
    const { code, output } = await upAfterKill(stack);
    expect(code, output).toBe(0);
    expect(output).toContain(`no state has ${jobId}`);
    stack.declare(triggered("1"));
    expect((await stack.up()).code).toBe(0);
    expect(platform.starts).toBe(3);
  });

  it.each(atTheEnd)("goes on with the same job: kill %i, %i ms after its end was told", async (_, delay) => {
    const platform = await testPlatform({ jobTime: 500 });
    const stack = await testStack(platform, site);
    const told = completionTold(platform);
    const running = stack.start("up", "--yes", "--skip-preview");
    await told;
    await sleep(delay);
    killAll(stack);
    await running.ended;
    const { code, output, milliseconds } = await upAfterKill(stack);
    report("kill when the end is told", platform.starts, milliseconds);
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 1 });
    expect((await stack.outputs()).status).toBe("completed");
  });

  it("and whose backend's file of attributes was cut off, goes on once that file is removed; a later replacement starts anew", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform, site);
    truncateSync(`${stack.stateFile}.attrs`);
    expect((await stack.up()).output).toContain("failed to load checkpoint: EOF");
    removeCutAttributes(stack);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    const { urn } = (await stack.state("site")) ?? {};
    expect(await stack.up("--replace", String(urn))).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(2);
  });

  it("also where only the engine is killed: its provider process ends within seconds and drops nothing", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    running.kill();
    await running.ended;
    expect(providersOf(stack).length).toBeGreaterThan(0);
    for (let tries = 0; providersOf(stack).length > 0 && tries < 100; tries++) {
      await sleep(100);
    }
    expect(providersOf(stack)).toEqual([]);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect(journalOf(stack)).toEqual([jobId]);
    platform.jobs.complete(jobId);
    const resumed = await upAfterKill(stack);
    expect(resumed).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
    // Only a later process shows that the state has the job.
    expect(journalOf(stack)).toEqual([jobId]);
    // The engine keeps a note of the killed operation, and each run warns about it until a refresh.
    expect(resumed.output).toContain("1 pending operations");
    expect(await stack.refresh("--clear-pending-creates")).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(readFileSync(stack.stateFile, "utf8")).not.toContain("pending_operations");
  });

  variant("at 79 % of a job, knows its end as soon as a wait that goes on from the begin does", async () => {
    const platform = await testPlatform({ queueTime: 0, jobTime: 25_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    await sleep(0.79 * 25_000);
    killAll(stack);
    await running.ended;
    expect(await upAfterKill(stack)).toMatchObject({ code: 0 });
    const completedAt = platform.jobs.get(jobId)?.completedAt ?? Number.NaN;
    const seen = platform.requests.filter(({ at, path }) => path.endsWith(jobId) && at >= completedAt);
    expect(seen).toHaveLength(1);
    // Without knowledge of the job, the wait would use the median of all jobs, which comes 20 s later.
    expect((seen[0]?.at ?? Number.NaN) - completedAt).toBeLessThan(3_000);
  });

  variant("twice in a row, goes on with the same job", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    for (const looks of [1, 2]) {
      await stack.pulumi("cancel", "--yes");
      const running = stack.start("up", "--yes", "--skip-preview");
      await until(() => platform.counts.getExport >= looks * 2);
      killAll(stack);
      await running.ended;
    }
    platform.jobs.complete(String(platform.jobs.list()[0]?.jobId));
    expect(await upAfterKill(stack)).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(1);
    expect(journalOf(stack)).toEqual([]);
  });

  it("just after the job was saved, does not stand in for the new job of a later replacement", async () => {
    const agentJobs = [{ projectId: "docs", id: "agent-1" }];
    const platform = await testPlatform({ agentTime: 60_000, agentJobs });
    const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
    const stack = await testStack(platform, { ...site, message });
    const told = completionTold(platform);
    const running = stack.start("up", "--yes", "--skip-preview");
    await told;
    await until(() => savedStateOf(stack).includes("completed"));
    killAll(stack);
    await running.ended;
    expect(journalOf(stack)).toContain(platform.jobs.list()[0]?.jobId);
    // Leaves out the message, which only kept the engine busy.
    stack.declare(site);
    expect(await upAfterKill(stack)).toMatchObject({ code: 0, requests: [] });
    expect(journalOf(stack)).not.toContain(platform.jobs.list()[0]?.jobId);
    const { urn } = (await stack.state("site")) ?? {};
    expect(await stack.up("--replace", String(urn))).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(2);
  });
});

describe("a run that others end", () => {
  it("as runners do, SIGTERM to the command and after 7.5 s SIGKILL to all, keeps the job", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    signalCommand(stack, "SIGTERM");
    await Promise.race([running.ended, sleep(7_500)]);
    killAll(stack);
    await running.ended;
    const jobId = String(platform.jobs.list()[0]?.jobId);
    platform.jobs.complete(jobId);
    const { code, requests, milliseconds } = await upAfterKill(stack);
    report("SIGTERM, and SIGKILL after 7.5 s", platform.starts, milliseconds);
    expect({ code, requests: new Set(requests) }).toEqual({ code: 0, requests: new Set([look(jobId)]) });
    expect(platform.starts).toBe(1);
  });

  it.each(campaign ? [0, 20, 200] : [20])("by a second Ctrl-C %i ms after the first, keeps the job", async (pause) => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    running.interrupt();
    await sleep(pause);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
    killAll(stack);
    const jobId = String(platform.jobs.list()[0]?.jobId);
    platform.jobs.complete(jobId);
    const { code, requests, milliseconds } = await upAfterKill(stack);
    report("Ctrl-C twice", platform.starts, milliseconds);
    expect({ code, requests: new Set(requests) }).toEqual({ code: 0, requests: new Set([look(jobId)]) });
    expect(platform.starts).toBe(1);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    expect(journalOf(stack)).toEqual([]);
  });
});

describe("a message to an agent whose run is killed", () => {
  it.each(campaign ? [true, false] : [false])(
    "after it was sent, is not sent again (waitForCompletion: %s)",
    async (waitForCompletion) => {
      const agentJobs = [{ projectId: "docs", id: "agent-1" }];
      const platform = await testPlatform({ agentTime: 60_000, agentJobs });
      const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion };
      const stack = await testStack(platform, { message });
      const running = stack.start("up", "--yes", "--skip-preview");
      await until(() => journalOf(stack).length > 0);
      killAll(stack);
      await running.ended;
      platform.agents.complete("agent-1");
      const { code, output, milliseconds } = await upAfterKill(stack);
      report("kill after a message", platform.counts.sendMessage, milliseconds);
      const { messages } = platform.agents.get("agent-1") ?? {};
      expect({ code, messages }, output).toEqual({ code: 0, messages: ["Go on."] });
      expect((await stack.outputs()).status).toEqual(waitForCompletion ? "completed" : expect.any(String));
      expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    },
  );
});
