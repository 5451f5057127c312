import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import { campaign, variant } from "../../support/campaign";
import { noteResult } from "../../support/campaignResults";
import type { DeclaredProgram, EngineStack } from "../../support/engineStack";
import { anError, look, siteAndBundle, start, testPlatform, testStack } from "../../support/engineTest";
import { entriesToRemove } from "../../support/entriesToRemove";
import {
  completionReported,
  intentsOf,
  journalOf,
  killAll,
  providersOf,
  removeCutAttributes,
  removeEntries,
  signalCommand,
} from "../../support/fixtures/kills";
import { hostileTexts } from "../../support/hostileText";
import { campaignSeed, seededRandom } from "../../support/random";
import { until } from "../../support/until";

const domain = "docs.example.com";
const site: DeclaredProgram = { site: { domain } };
const agentJobs = [{ projectId: "docs", id: "agent-1" }];
const message: DeclaredProgram = {
  message: { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true },
};
const nothing = { code: 0, requests: [] };
const lookAtAgent = "GET /agent/docs/job/agent-1";
const messagesTo = (platform: Platform) => platform.agents.get("agent-1")?.messages ?? [];
const oldest = (platform: Platform) => String(platform.jobs.list()[0]?.jobId);
const urnOf = async (stack: EngineStack, name = "site") => String((await stack.state(name))?.urn);
const beginUp = (stack: EngineStack, ...flags: string[]) => stack.start("up", "--yes", "--skip-preview", ...flags);

async function upAfterKill(stack: EngineStack) {
  removeCutAttributes(stack);
  await stack.pulumi("cancel", "--yes");
  return stack.up();
}

function foundInLog(log: string): string {
  const guide = readFileSync(join(projectRoot, "docs", "guides", "ci.md"), "utf8");
  const [, after = "", pattern = ""] = /grep -A (\d+) -E '([^']+)' up\.log/.exec(guide) ?? [];
  return execFileSync("grep", ["-A", after, "-E", pattern], { input: log, encoding: "utf8" });
}

/** Matches the four lines of an error. A line of code for the user's program may follow. */
const wholeError = (code: string) =>
  new RegExp(`^.*\\b${code}: .*\n +Exists now: .*\n +Next run: .*\n +What to do: .*\n`);

describe("a run that is cancelled", () => {
  it("while a start and a message are on their way awaits their answers, and the next run continues with both; what is asked for again after a cancelled wait is started once", async () => {
    const platform = await testPlatform({ jobTime: 60_000, agentTime: 60_000, agentJobs });
    for (const operation of ["startExport", "sendMessage"] as const) {
      platform.inject({ operation, kind: "lateAnswer", ms: 2_000 });
    }
    const stack = await testStack(platform, { ...site, ...message });
    const first = beginUp(stack);
    await until(() => platform.starts > 0 && messagesTo(platform).length > 0);
    first.interrupt();
    const { code, output } = await first.ended;
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(await stack.state("site")).toMatchObject({ id: oldest(platform) });

    const started = () => [platform.starts, messagesTo(platform).length];
    async function upCancelledInTheWait(...flags: string[]) {
      const { getExport, getAgentJob } = platform.counts;
      const running = beginUp(stack, ...flags);
      await until(() => platform.counts.getExport > getExport && platform.counts.getAgentJob > getAgentJob);
      running.interrupt();
      const { code: ended, requests } = await running.ended;
      expect(ended).toEqual(anError);
      return new Set(requests);
    }
    expect(await upCancelledInTheWait()).toEqual(new Set([lookAtAgent, look(oldest(platform))]));
    expect(started()).toEqual([1, 1]);
    const urns = [await urnOf(stack), await urnOf(stack, "message")];
    await upCancelledInTheWait(...urns.flatMap((urn) => ["--replace", urn]));
    expect(started()).toEqual([2, 2]);
    expect(await stack.pulumi("state", "taint", ...urns, "--yes")).toMatchObject({ code: 0 });
    await upCancelledInTheWait();
    expect(started()).toEqual([3, 3]);
    expect(await stack.destroy()).toMatchObject(nothing);
    platform.jobTime = 50;
    platform.agentTime = 50;
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(started()).toEqual([4, 4]);
    expect((await stack.outputs()).jobId).toBe(platform.jobs.list().at(-1)?.jobId);
  });

  variant(
    "and then replaced starts again, also where the engine's command is not on PATH and its backend's address is relative",
    async () => {
      const platform = await testPlatform({ jobTime: 60_000 });
      const stack = await testStack(platform, site);
      const running = beginUp(stack);
      await until(() => platform.counts.getExport > 0);
      running.interrupt();
      await running.ended;
      const urn = await urnOf(stack);
      hideCommand(stack);
      moveProgram(stack);
      stack.environment.PULUMI_BACKEND_URL = "file://./backend";
      platform.jobTime = 0;
      const { code, output } = await beginUp(stack, "--replace", urn).ended;
      expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 2 });
    },
  );
});

/**
 * Removes the `pulumi` command from PATH, but not the engine's plugins. The Automation API can run `pulumi` by its full
 * path, so a user of this API may have such a PATH.
 */
function hideCommand({ environment, folder }: EngineStack): void {
  const [engine = "", ...others] = String(environment.PATH).split(delimiter);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of readdirSync(engine).filter((file) => file.startsWith("pulumi-"))) {
    symlinkSync(join(engine, name), join(bin, name));
  }
  environment.PATH = [bin, ...others].join(delimiter);
}

/** Moves the program into a subfolder of the project. Commands still run in the project's folder. */
function moveProgram(stack: EngineStack): void {
  const inner = join(stack.folder, "src");
  mkdirSync(inner);
  for (const name of ["index.js", "outputs.js", "resources.json", "node_modules"]) {
    renameSync(join(stack.folder, name), join(inner, name));
  }
  stack.writeProject({ main: "src", runtime: { name: "nodejs", options: { typescript: false } } });
}

describe("a run that is killed", () => {
  it("between a start that never arrived and its answer is reported by each next run, which sends nothing, until its entry is removed", async () => {
    const platform = await testPlatform();
    platform.inject({ operation: "startExport", kind: "hang" });
    const stack = await testStack(platform, site);
    const running = beginUp(stack);
    await until(() => platform.counts.startExport > 0);
    expect(intentsOf(stack)).toHaveLength(1);
    killAll(stack);
    await running.ended;
    const { output, ...next } = await upAfterKill(stack);
    expect(next).toEqual({ code: anError, requests: [] });
    expect(output).toMatch(/DOCS_AMBIGUOUS_START: .* at \d{4}-\d\d-\d\dT/);
    expect(entriesToRemove(output)).toHaveLength(1);
    removeEntries(stack, entriesToRemove(output));
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
    expect([journalOf(stack), intentsOf(stack)]).toEqual([[oldest(platform)], []]);
  });
});

const random = seededRandom(campaignSeed());
const ways = ["Ctrl-C twice", "provider dies", "kill", "SIGTERM, and SIGKILL after 7.5 s"] as const;
/** Every third interrupt comes after the job's end, while the run reports and saves the job. */
const drawnEnds = Array.from({ length: 60 }, (_, number) => ({
  number,
  way: ways[number % ways.length] ?? "kill",
  isAtTheEnd: number % 3 === 2,
  delay: random.next(),
}));

// Runs only in the campaign. In `npm test`, explored.test.ts interrupts runs at the steps of a model.
describe.runIf(campaign)("a run that ends early", () => {
  it.each(drawnEnds)("by $way leaves its job and its message to the next one (end $number, $delay)", async (drawn) => {
    const { way, isAtTheEnd, delay } = drawn;
    const platform = await testPlatform({ jobTime: 2_500, agentTime: 60_000, agentJobs });
    const stack = await testStack(platform, { ...site, ...message });
    const told = completionReported(platform);
    const running = beginUp(stack);
    // Waits until the journal contains both ids. This test does not cover a kill between an answer and the write of the
    // id.
    await until(() => journalOf(stack).length === 2);
    await (isAtTheEnd ? told : undefined);
    await sleep(delay * (isAtTheEnd ? 50 : 3_000));
    if (way === "Ctrl-C twice") {
      running.interrupt();
      await sleep(random.pick([0, 20, 200]));
      running.interrupt();
    } else if (way === "provider dies") {
      for (const pid of providersOf(stack)) {
        process.kill(pid, "SIGKILL");
      }
    } else if (way !== "kill") {
      signalCommand(stack, "SIGTERM");
    }
    await (way === "kill" ? undefined : Promise.race([running.ended, sleep(7_500)]));
    killAll(stack);
    await running.ended;
    const begin = Date.now();
    const next = upAfterKill(stack);
    const { getAgentJob } = platform.counts;
    // The next run must see the agent `active` before it sees `completed`. Otherwise it would wait longer, because the
    // status `completed` could be older than the message.
    await until(() => platform.counts.getAgentJob > getAgentJob);
    platform.agents.complete("agent-1");
    const { code, output } = await next;
    noteResult({ fault: way, started: platform.starts, lost: platform.starts - 1, asked: 0, time: Date.now() - begin });
    expect({ code, starts: platform.starts, messages: messagesTo(platform) }, output).toEqual({
      code: 0,
      starts: 1,
      messages: ["Go on."],
    });
    expect(await stack.outputs()).toMatchObject({ jobId: oldest(platform) });
  });
});

describe("a wait that reaches its limit", () => {
  it("keeps the job; the next run continues with it, also after a refresh, with one start in all", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { site: { domain, waitTimeout: "3s" } });
    const { code, output } = await stack.up();
    const jobId = oldest(platform);
    expect(code).toEqual(anError);
    expect(output).toMatch(/DOCS_WAIT_TIMEOUT: .*waitTimeout \(3s\)/);
    expect(output).toContain(`Exists now: export job ${jobId}, last seen "running"`);
    expect(foundInLog(output)).toMatch(wholeError("DOCS_WAIT_TIMEOUT"));
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });
    // The refresh removes the engine's note about an incomplete resource.
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });

  it("while its machine sleeps looks once more, and sees that the job was completed meanwhile", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { site: { domain, waitTimeout: "3s" } });
    const running = beginUp(stack);
    await until(() => platform.counts.getExport > 0);
    for (const pid of providersOf(stack)) {
      process.kill(pid, "SIGSTOP");
    }
    platform.jobs.complete(oldest(platform));
    await sleep(3_000);
    for (const pid of providersOf(stack)) {
      process.kill(pid, "SIGCONT");
    }
    const { code, output } = await running.ended;
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 1 });
  });

  variant(
    "and that replaceOnChanges replaces, deleted before, is no second start; a later replacement is one",
    async () => {
      const platform = await testPlatform({ jobTime: 600_000 });
      const declared = (waitTimeout: string) => ({
        site: { domain, waitTimeout },
        siteOptions: { replaceOnChanges: ["*"], deleteBeforeReplace: true },
      });
      const stack = await testStack(platform, declared("2s"));
      expect((await stack.up()).code).toEqual(anError);
      platform.jobs.complete(oldest(platform));
      stack.declare(declared("5m"));
      expect(await stack.up()).toMatchObject({ code: 0 });
      expect(await stack.outputs()).toMatchObject({ jobId: oldest(platform) });
      expect(platform.starts).toBe(1);
      platform.jobTime = 50;
      expect((await stack.up("--replace", await urnOf(stack))).code).toBe(0);
      expect(platform.starts).toBe(2);
    },
  );
});

describe("a job that fails", () => {
  it("shows the platform's words, which neither end a line nor control a terminal; the next run starts a new one", async () => {
    const platform = await testPlatform({ failJobs: `page /install: ${hostileTexts.join("x")}` });
    const stack = await testStack(platform, siteAndBundle);
    const { code, output } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain(
      `DOCS_JOB_FAILED: export job ${oldest(platform)} of docs.example.com failed: page /install: `,
    );
    expect(output).toContain("stop-commands");
    for (const line of output.split("\n")) {
      expect(line).not.toMatch(/^\s*::/);
      expect(line).not.toMatch(/##\w*\[/);
      // The engine itself prints tabs.
      expect(line.replaceAll("\t", "").trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(platform.counts.createBundle).toBe(0);
    platform.failJobs = undefined;
    const next = await stack.up();
    expect({ code: next.code, first: next.requests[0] }).toEqual({ code: 0, first: start });
    expect(platform.starts).toBe(2);
  });

  variant("of an agent is an error of each run that waits for it, and its message is sent once", async () => {
    const platform = await testPlatform({ agentTime: 200, agentJobs, agentOutcome: { status: "failed" } });
    const stack = await testStack(platform, message);
    for (const run of [await stack.up(), await stack.up()]) {
      expect(run.code, run.output).toEqual(anError);
      expect(run.output).toContain("DOCS_JOB_FAILED: agent job agent-1 of project docs failed");
    }
    platform.agents.complete("agent-1");
    expect(await stack.up()).toMatchObject({ code: 0, requests: [lookAtAgent] });
    expect(messagesTo(platform)).toEqual(["Go on."]);
  });
});

describe("a start whose answer is lost", () => {
  it("is not repeated, and the error shows the lines that adopt the job", async () => {
    const platform = await testPlatform();
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    const stack = await testStack(platform, site);
    const { code, output } = await stack.up();
    expect({ code, starts: platform.starts }).toEqual({ code: anError, starts: 1 });
    expect(foundInLog(output)).toMatch(wholeError("DOCS_AMBIGUOUS_START"));
    expect(output).toContain('new StaticExport("…", { domain: "docs.example.com", jobId: "<the id of that job>" })');
    stack.declare({ site: { domain, jobId: oldest(platform) } });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(oldest(platform))] });
    expect(platform.starts).toBe(1);
    expect([journalOf(stack), intentsOf(stack)]).toEqual([[], []]);
  });
});
