import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { anError, look, siteAndBundle, stackLine, start, testPlatform, testStack } from "../../support/engineTest";
import { hostileTexts } from "../../support/hostileText";

const site = { domain: "docs.example.com" };

/** Runs the command of the guide on pipelines, which finds errors in a log. */
function foundInLog(log: string): string {
  const guide = readFileSync(join(projectRoot, "docs", "guides", "ci.md"), "utf8");
  const [, after = "", pattern = ""] = /grep -A (\d+) -E '([^']+)' up\.log/.exec(guide) ?? [];
  return execFileSync("grep", ["-A", after, "-E", pattern], { input: log, encoding: "utf8" });
}

/** Returns the four lines of an error, from its beginning; a line to paste may follow. */
const wholeError = (code: string) =>
  new RegExp(`^.*\\b${code}: .*\n +Exists now: .*\n +Next run: .*\n +What to do: .*\n.*\n$`);

describe("a job that fails", () => {
  it("shows the platform's message and the job; the next run starts a new one", async () => {
    const platform = await testPlatform({ failJobs: "page /install: broken include" });
    const stack = await testStack(platform);
    const failed = await stack.up();
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(failed.code).not.toBe(0);
    expect(failed.output).toContain(
      `DOCS_JOB_FAILED: export job ${jobId} of docs.example.com failed: page /install: broken include`,
    );
    expect(platform.counts.createBundle).toBe(0);
    platform.failJobs = undefined;
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
    const next = await stack.up();
    expect(next.code).toBe(0);
    expect(next.requests[0]).toBe(start);
    expect(platform.starts).toBe(2);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("has its words shown by the engine, and they neither end a line nor control a terminal", async () => {
    const hostile = hostileTexts.join("x");
    const platform = await testPlatform({ failJobs: hostile });
    const stack = await testStack(platform);
    const { code, output } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_JOB_FAILED");
    expect(output).toContain("stop-commands");
    for (const line of output.split("\n")) {
      expect(line).not.toMatch(/^\s*::/);
      expect(line).not.toMatch(/##\w*\[/);
      // The engine itself prints tabs.
      expect(line.replaceAll("\t", "").trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});

describe("replaceOnChanges of everything", () => {
  const siteOptions = (more = {}, waitTimeout = "2s") => ({
    site: { ...site, waitTimeout },
    siteOptions: { replaceOnChanges: ["*"], ...more },
  });

  it.each([
    ["which creates the replacement first", {}],
    ["with deleteBeforeReplace", { deleteBeforeReplace: true }],
  ])("makes no second start of a wait that goes on, %s", async (_, more) => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const stack = await testStack(platform, siteOptions(more));
    expect((await stack.up()).code).toEqual(anError);
    expect((await stack.up()).code).toEqual(anError);
    const { jobId = "" } = platform.jobs.list()[0] ?? {};
    platform.jobs.complete(jobId);
    stack.declare(siteOptions(more, "5m"));
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    expect(await stack.outputs()).toMatchObject({ jobId });
    expect(platform.starts).toBe(1);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    const { urn = "" } = (await stack.state("site")) ?? {};
    platform.jobTime = 50;
    expect((await stack.up("--replace", urn)).code).toBe(0);
    expect(platform.starts).toBe(2);
  });
});

describe("a wait that ends before the job does", () => {
  it("at its limit, keeps the job; the next runs go on with it, also after a refresh, with one start in all", async () => {
    const platform = await testPlatform({ queueTime: 0, jobTime: 60_000 });
    const stack = await testStack(platform, { ...siteAndBundle, site: { ...site, waitTimeout: "5s" } });
    const first = await stack.up();
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(first.code).not.toBe(0);
    expect(first.output).toMatch(/DOCS_WAIT_TIMEOUT: .*waitTimeout \(5s\)/);
    expect(first.output).toContain(`Exists now: export job ${jobId}, last seen "running"`);
    expect(foundInLog(first.output)).toMatch(wholeError("DOCS_WAIT_TIMEOUT"));
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });
    const second = await stack.up();
    expect(second.code).not.toBe(0);
    expect(new Set(second.requests)).toEqual(new Set([look(jobId)]));
    // It clears the engine's own mark of a resource that is not done.
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    platform.jobs.complete(String(jobId));
    const third = await stack.up();
    expect(third.code).toBe(0);
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed" });
    expect(platform.starts).toBe(1);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("by Ctrl-C, ends at once and keeps the job; the next run goes on with it", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { site });
    const running = stack.start("up", "--yes", "--skip-preview");
    await new Promise<void>((resolve) => {
      platform.on("request", ({ operation }) => operation === "getExport" && resolve());
    });
    running.interrupt();
    const { code, output } = await running.ended;
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(code).not.toBe(0);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId } });
    platform.jobs.complete(String(jobId));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });
});

// Other ends of a wait: test/protocol/partialFailure.test.ts. Other reasons why a run cannot begin: test/protocol/refused.test.ts.
describe("a run that cannot begin", () => {
  it("because the base URL is missing is refused in the preview, naming both ways to give it", async () => {
    const stack = await testStack(await testPlatform(), { site });
    stack.environment.DOCS_PLATFORM_BASE_URL = " ";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("the setting baseUrl is missing: set DOCS_PLATFORM_BASE_URL");
    expect(output).toContain("pulumi config set docs-platform:baseUrl");
    expect(output).not.toMatch(stackLine);
  });

  // test/protocol/refused.test.ts holds the required inputs of each resource.
  it("because a required input is undefined, as an output that another stack does not have, is refused by its name", async () => {
    const stack = await testStack(await testPlatform(), { bundle: {} });
    const { code, output, requests } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain(
      "ExportBundle resource 'bundle': property jobId value {<nil>} has a problem: DOCS_CONFIGURATION: is required",
    );
    expect(output).not.toMatch(/Unexpected struct type|^ +at /m);
    expect(requests).toEqual([]);
  });
});

describe("a start whose answer is lost", () => {
  it("is not repeated, and the error shows the lines that adopt the job", async () => {
    const platform = await testPlatform();
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    const stack = await testStack(platform, { site });
    const { code, output } = await stack.up();
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(code).not.toBe(0);
    expect(platform.starts).toBe(1);
    expect(output).toContain("DOCS_AMBIGUOUS_START");
    expect(foundInLog(output)).toMatch(wholeError("DOCS_AMBIGUOUS_START"));
    expect(output).toContain('new StaticExport("…", { domain: "docs.example.com", jobId: "<the id of that job>" })');
    stack.declare({ site: { ...site, jobId } });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });
});
