import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { intentsOf, journalOf, killAll, removeCutAttributes, savedStateOf, until } from "../fixtures/kills";
import { variant } from "../support/campaign";
import type { Declared, EngineStack } from "../support/engineStack";
import { anError, look, start, tally, testPlatform, testStack } from "../support/engineTest";

const site: Declared = { site: { domain: "docs.example.com" } };
const agentJobs = [{ projectId: "docs", id: "agent-1" }];
const message: Declared = {
  message: { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true },
};
const oldest = (platform: Platform) => String(platform.jobs.list()[0]?.jobId);

async function upAfterKill(stack: EngineStack) {
  removeCutAttributes(stack);
  await stack.pulumi("cancel", "--yes");
  return stack.up();
}

const urnOf = async (stack: EngineStack, name = "site") => String((await stack.state(name))?.urn);

/** A stack whose first run was cancelled in the wait, and whose job has ended since. */
async function cancelledInTheWait(declared = site) {
  const platform = await testPlatform({ jobTime: 60_000, agentTime: 60_000, agentJobs });
  const stack = await testStack(platform, declared);
  const running = stack.start("up", "--yes", "--skip-preview");
  await until(() => platform.counts.getExport + platform.counts.getAgentJob > 0);
  running.interrupt();
  expect((await running.ended).code).toEqual(anError);
  platform.jobTime = 50;
  platform.agentTime = 50;
  return { platform, stack };
}

describe("a first Ctrl-C while the start is on its way", () => {
  it("awaits the answer, keeps the job, and the next run goes on with it", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: 2_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    running.interrupt();
    const { code, output } = await running.ended;
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(await stack.state("site")).toMatchObject({ id: oldest(platform) });
    platform.jobs.complete(oldest(platform));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
  });

  it("awaits the answer to a message too, which is not sent again", async () => {
    const platform = await testPlatform({ agentTime: 60_000, agentJobs });
    platform.inject({ operation: "sendMessage", kind: "lateAnswer", ms: 2_000 });
    const stack = await testStack(platform, message);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => (platform.agents.get("agent-1")?.messages.length ?? 0) > 0);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
    platform.agents.complete("agent-1");
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on."]);
  });

  it("where only the engine is killed, its provider process finishes the start before it ends", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: 6_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    running.kill();
    await running.ended;
    // The next run finds the intent, and waits for the process that is about to write the answer.
    platform.jobs.complete(oldest(platform));
    expect(await upAfterKill(stack)).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
  });
});

describe("a new export that is asked for after a cancelled wait", () => {
  it.each([
    ["up --replace", (stack: EngineStack, urn: string) => stack.up("--replace", urn)],
    ["up --target-replace", (stack: EngineStack, urn: string) => stack.up("--target-replace", urn)],
  ])("by %s is started: the old job does not stand in for it", async (_, replace) => {
    const { platform, stack } = await cancelledInTheWait();
    const { code, output, requests } = await replace(stack, await urnOf(stack));
    expect(code, output).toBe(0);
    expect(tally(requests)).toMatchObject({ [start]: 1 });
    expect(platform.starts).toBe(2);
    expect((await stack.outputs()).jobId).not.toBe(oldest(platform));
  });

  it("by a taint is started", async () => {
    const { platform, stack } = await cancelledInTheWait();
    expect(await stack.pulumi("state", "taint", await urnOf(stack), "--yes")).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(2);
  });

  it("by destroy and up is started", async () => {
    const { platform, stack } = await cancelledInTheWait();
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(2);
  });

  it("holds for a message: up --replace sends it again", async () => {
    const { platform, stack } = await cancelledInTheWait(message);
    const { code, output } = await stack.up("--replace", await urnOf(stack, "message"));
    expect(code, output).toBe(0);
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on.", "Go on."]);
  });
});

describe("a backend that saves at the very end", () => {
  it("and a kill seconds after the engine was given the job: the next run goes on with it", async () => {
    const platform = await testPlatform({ jobTime: 200, agentTime: 60_000, agentJobs });
    const stack = await testStack(platform, { ...site, ...message });
    Object.assign(stack.environment, { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" });
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.jobs.list().some(({ status }) => status === "completed"));
    await sleep(3_000);
    killAll(stack);
    await running.ended;
    expect(savedStateOf(stack)).not.toContain(oldest(platform));
    platform.agents.complete("agent-1");
    expect(await upAfterKill(stack)).toMatchObject({ code: 0 });
    expect({ starts: platform.starts, messages: platform.agents.get("agent-1")?.messages }).toEqual({
      starts: 1,
      messages: ["Go on."],
    });
    expect(await stack.outputs()).toMatchObject({ jobId: oldest(platform) });
  });
});

describe("a kill between the start and its answer", () => {
  async function killedInFlight(fault: { kind: "lateAnswer"; ms: number } | { kind: "hang" }) {
    const platform = await testPlatform();
    platform.inject({ operation: "startExport", ...fault });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => (fault.kind === "hang" ? platform.counts.startExport : platform.starts) > 0);
    expect(intentsOf(stack)).toHaveLength(1);
    killAll(stack);
    await running.ended;
    const next = await upAfterKill(stack);
    expect(next).toMatchObject({ code: anError, requests: [] });
    expect(next.output).toMatch(/DOCS_AMBIGUOUS_START: .* at \d{4}-\d\d-\d\dT/);
    // It says the same again, as long as nobody tells which of the two it is.
    expect(await stack.up()).toMatchObject({ code: anError, requests: [] });
    return { platform, stack, output: next.output };
  }

  it("is told by the next run, which sends nothing; the job that there is, is adopted", async () => {
    const { platform, stack, output } = await killedInFlight({ kind: "lateAnswer", ms: 60_000 });
    expect(output).toContain("adopt it:");
    stack.declare({ site: { ...site.site, jobId: oldest(platform) } });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
    expect([journalOf(stack), intentsOf(stack)]).toEqual([[], []]);
  });

  it("is told by the next run, which sends nothing; where there is none, its code lets it start", async () => {
    const { platform, stack, output } = await killedInFlight({ kind: "hang" });
    const [, code] = /`DOCS_PLATFORM_NOT_STARTED=([0-9a-f]{12}) pulumi up`/.exec(output) ?? [];
    stack.environment.DOCS_PLATFORM_NOT_STARTED = code;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
    expect([journalOf(stack), intentsOf(stack)]).toEqual([[], []]);
  });

  variant("of a message keeps it in the state, and it is not sent again", async () => {
    const platform = await testPlatform({ agentTime: 50, agentJobs });
    platform.inject({ operation: "sendMessage", kind: "lateAnswer", ms: 60_000 });
    const stack = await testStack(platform, message);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => (platform.agents.get("agent-1")?.messages.length ?? 0) > 0);
    killAll(stack);
    await running.ended;
    const next = await upAfterKill(stack);
    expect(next).toMatchObject({ code: anError, requests: [] });
    expect(next.output).toContain("DOCS_AMBIGUOUS_START");
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.agents.get("agent-1")?.messages).toEqual(["Go on."]);
  });
});

describe("a start that surely was not sent", () => {
  it("leaves no intent: the next run simply starts", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, site);
    const { DOCS_PLATFORM_BASE_URL: url } = stack.environment;
    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL: "http://127.0.0.1:9", DOCS_PLATFORM_MAX_RETRIES: "0" });
    expect((await stack.up()).output).toMatch(/DOCS_CONNECTION: .*ECONNREFUSED/);
    expect(intentsOf(stack)).toEqual([]);
    stack.environment.DOCS_PLATFORM_BASE_URL = url;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });
});

describe("a job that the platform does not find yet", () => {
  it("is not taken for gone by the run that goes on with it at once", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    platform.inject({ operation: "getExport", kind: "status", status: 404, count: 3 });
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
    platform.jobs.complete(oldest(platform));
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(1);
  });
});
