import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { campaign, variant } from "../../support/campaign";
import type { DeclaredProgram, EngineStack } from "../../support/engineStack";
import { anError, look, testPlatform, testStack } from "../../support/engineTest";
import {
  intentsOf,
  journalOf,
  killAll,
  providersOf,
  removeCutAttributes,
  savedStateOf,
} from "../../support/fixtures/kills";
import { sharedStack } from "../../support/sharedStack";
import { until } from "../../support/until";

const site: DeclaredProgram = { site: { domain: "docs.example.com" } };
const agentJobs = [{ projectId: "docs", id: "agent-1" }];
const message: DeclaredProgram = {
  message: { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true },
};
const messagesTo = (platform: Platform) => platform.agents.get("agent-1")?.messages ?? [];
const oldest = (platform: Platform) => String(platform.jobs.list()[0]?.jobId);

async function upAfterKill(stack: EngineStack) {
  removeCutAttributes(stack);
  await stack.pulumi("cancel", "--yes");
  return stack.up();
}

const urnOf = async (stack: EngineStack, name = "site") => String((await stack.state(name))?.urn);

describe("a first Ctrl-C while the start is on its way", () => {
  it("awaits the answers to a start and to a message, and the next run goes on with both", async () => {
    const platform = await testPlatform({ jobTime: 60_000, agentTime: 60_000, agentJobs });
    for (const operation of ["startExport", "sendMessage"] as const) {
      platform.inject({ operation, kind: "lateAnswer", ms: 2_000 });
    }
    const stack = await testStack(platform, { ...site, ...message });
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0 && messagesTo(platform).length > 0);
    running.interrupt();
    const { code, output } = await running.ended;
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(await stack.state("site")).toMatchObject({ id: oldest(platform) });
    platform.jobs.complete(oldest(platform));
    platform.agents.complete("agent-1");
    const next = await stack.up();
    expect({ code: next.code, requests: next.requests.toSorted() }).toEqual({
      code: 0,
      requests: ["GET /agent/docs/job/agent-1", look(oldest(platform))],
    });
    expect({ starts: platform.starts, messages: messagesTo(platform) }).toEqual({ starts: 1, messages: ["Go on."] });
  });

  it("where only the engine is killed, its provider process finishes the start before it ends", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: 6_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts > 0);
    running.kill();
    await running.ended;
    // The next run finds the intended start, and waits for the process that is about to write the answer.
    platform.jobs.complete(oldest(platform));
    expect(await upAfterKill(stack)).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
  });
});

describe("a new export and a new message that are asked for after a cancelled wait: the old ones do not stand in for them", () => {
  const story = sharedStack({ jobTime: 60_000, agentTime: 60_000, agentJobs }, async ({ stack }) => {
    stack.declare({ ...site, ...message });
  });
  const started = () => [story.platform.starts, messagesTo(story.platform).length];
  const urns = async () => [await urnOf(story.stack), await urnOf(story.stack, "message")];
  /** Runs `up` until it waits for both jobs, and cancels it then. */
  async function upCancelledInTheWait(...flags: string[]) {
    const { platform, stack } = story;
    const { getExport, getAgentJob } = platform.counts;
    const running = stack.start("up", "--yes", "--skip-preview", ...flags);
    await until(() => platform.counts.getExport > getExport && platform.counts.getAgentJob > getAgentJob);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
  }

  it.each(campaign ? ["--replace", "--target-replace"] : ["--replace"])("by up %s are started", async (flag) => {
    await upCancelledInTheWait();
    const [starts = 0, messages = 0] = started();
    await upCancelledInTheWait(...(await urns()).flatMap((urn) => [flag, urn]));
    expect(started()).toEqual([starts + 1, messages + 1]);
  });

  it("by a taint are started", async () => {
    const [starts = 0, messages = 0] = started();
    expect(await story.stack.pulumi("state", "taint", ...(await urns()), "--yes")).toMatchObject({ code: 0 });
    await upCancelledInTheWait();
    expect(started()).toEqual([starts + 1, messages + 1]);
  });

  it("by destroy and up are started", async () => {
    const { platform, stack } = story;
    const [starts = 0, messages = 0] = started();
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    platform.jobTime = 50;
    platform.agentTime = 50;
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    expect(started()).toEqual([starts + 1, messages + 1]);
    expect((await stack.outputs()).jobId).toBe(platform.jobs.list().at(-1)?.jobId);
  });
});

describe("an export that leaves the state without a call of the provider", () => {
  it("does not stand in for the new one of a later up, which names it", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, { ...site, siteOptions: { retainOnDelete: true } });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    const { code, output } = await stack.up();
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 2 });
    expect(output).toContain(`an earlier run started ${oldest(platform)}`);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
  });

  it("stands in for none either where it was cancelled, and waited for", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { ...site, siteOptions: { retainOnDelete: true } });
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    running.interrupt();
    expect((await running.ended).code).toEqual(anError);
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    platform.jobTime = 50;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(2);
  });
});

describe("a run whose provider process alone is killed", () => {
  it("goes on with the job in the next run, although the engine ends in order", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    for (const pid of providersOf(stack)) {
      process.kill(pid, "SIGKILL");
    }
    expect((await running.ended).code).toEqual(anError);
    platform.jobs.complete(oldest(platform));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
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
    const { getAgentJob } = platform.counts;
    const next = upAfterKill(stack);
    // An end that comes before the agent was seen at work would be waited out.
    await until(() => platform.counts.getAgentJob > getAgentJob);
    platform.agents.complete("agent-1");
    expect(await next).toMatchObject({ code: 0 });
    expect({ starts: platform.starts, messages: messagesTo(platform) }).toEqual({
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
    // Each run gives the same error until the user says whether there is a job.
    expect(await stack.up()).toMatchObject({ code: anError, requests: [] });
    const [, code] = /`DOCS_PLATFORM_NOT_STARTED=([0-9a-f]{12}) pulumi up`/.exec(output) ?? [];
    stack.environment.DOCS_PLATFORM_NOT_STARTED = code;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
    expect([journalOf(stack), intentsOf(stack)]).toEqual([[oldest(platform)], []]);
  });

  variant("of a message keeps it in the state, and it is not sent again", async () => {
    const platform = await testPlatform({ agentTime: 50, agentJobs });
    platform.inject({ operation: "sendMessage", kind: "lateAnswer", ms: 60_000 });
    const stack = await testStack(platform, message);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => (messagesTo(platform).length ?? 0) > 0);
    killAll(stack);
    await running.ended;
    const next = await upAfterKill(stack);
    expect(next).toMatchObject({ code: anError, requests: [] });
    expect(next.output).toContain("DOCS_AMBIGUOUS_START");
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(messagesTo(platform)).toEqual(["Go on."]);
  });
});

describe("a start that surely was not sent", () => {
  // recall.test.ts and pendingStarts.test.ts hold this without an engine.
  variant("leaves no intent: the next run simply starts", async () => {
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
  // recall.test.ts holds this without an engine.
  variant("is not taken for gone by the run that goes on with it at once", async () => {
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

/** Puts the engine's helpers on PATH, without its command: an Automation API may call the command by its path. */
function hideCommand({ environment, folder }: EngineStack): void {
  const [engine = "", ...others] = String(environment.PATH).split(delimiter);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of readdirSync(engine).filter((file) => file.startsWith("pulumi-"))) {
    symlinkSync(join(engine, name), join(bin, name));
  }
  environment.PATH = [bin, ...others].join(delimiter);
}

/** Moves the program below its project, whose folder is the one that the command is called in. */
function moveProgram(stack: EngineStack): void {
  const inner = join(stack.folder, "src");
  mkdirSync(inner);
  for (const name of ["index.js", "outputs.js", "resources.json", "node_modules"]) {
    renameSync(join(stack.folder, name), join(inner, name));
  }
  stack.writeProject({ main: "src", runtime: { name: "nodejs", options: { typescript: false } } });
}

describe("a replacement after a cancelled wait", () => {
  it("starts anew, also where the engine's command is not on PATH and its backend's address is relative", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    running.interrupt();
    await running.ended;
    const urn = await urnOf(stack);
    hideCommand(stack);
    moveProgram(stack);
    stack.environment.PULUMI_BACKEND_URL = "file://./backend";
    platform.jobTime = 0;
    const { code, output } = await stack.start("up", "--yes", "--skip-preview", "--replace", urn).ended;
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 2 });
  });
});
