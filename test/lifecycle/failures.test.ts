import { describe, expect, it } from "vitest";
import { anError, look, siteAndBundle, stackAfterUp, start, testPlatform, testStack } from "../support/engineTest";

const site = { domain: "docs.example.com" };

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
});

describe("a wait that ends before the job does", () => {
  it("at its limit, keeps the job; the next runs go on waiting for it, with one start in all", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { ...siteAndBundle, site: { ...site, waitTimeout: "1s" } });
    const first = await stack.up();
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(first.code).not.toBe(0);
    expect(first.output).toMatch(/DOCS_WAIT_TIMEOUT: .*waitTimeout \(1s\)/);
    expect(first.output).toContain(`Exists now: export job ${jobId}, last seen "running"`);
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });
    const second = await stack.up();
    expect(second.code).not.toBe(0);
    expect(new Set(second.requests)).toEqual(new Set([look(jobId)]));
    platform.jobs.complete(String(jobId));
    const third = await stack.up();
    expect(third.code).toBe(0);
    expect(await stack.outputs()).toMatchObject({ jobId, status: "completed" });
    expect(platform.starts).toBe(1);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
  });

  it("and a refresh in between, which clears the engine's own mark, still goes on with the same job", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { site: { ...site, waitTimeout: "1s" } });
    await stack.up();
    const jobId = platform.jobs.list()[0]?.jobId;
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    platform.jobs.complete(String(jobId));
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
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

  it("destroyed, is forgotten without a request", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, { site: { ...site, waitTimeout: "1s" } });
    await stack.up();
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.resources()).toEqual([]);
  });
});

describe("a run that cannot begin", () => {
  it.each([
    ["https://docs.example.com", "holds a scheme"],
    ["", "is blank"],
  ])("because of the domain %j is refused in the preview, naming the property", async (domain, reason) => {
    const { code, output, requests } = await (await testStack(await testPlatform(), { site: { domain } })).preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toMatch(new RegExp(`property domain .* ${reason}`));
  });

  it("because the key is missing is refused in the preview, naming both ways to give it", async () => {
    const stack = await testStack(await testPlatform(), { site });
    stack.environment.DOCS_PLATFORM_API_KEY = " ";
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toContain("the setting apiKey is missing: set DOCS_PLATFORM_API_KEY");
    expect(output).toContain("pulumi config set --secret docs-platform:apiKey");
    expect(output).not.toContain("    at ");
  });

  it("because the platform does not accept the key names the cause and starts nothing", async () => {
    const stack = await testStack(await testPlatform(), { site });
    stack.environment.DOCS_PLATFORM_API_KEY = "svc_wrong-and-secret";
    const { code, output, requests } = await stack.up();
    expect({ code, requests }).toEqual({ code: anError, requests: [start] });
    expect(output).toContain("DOCS_AUTHENTICATION");
    expect(output).toContain("Exists now: no export job of docs.example.com was started.");
    expect(output).not.toContain("wrong-and-secret");
  });

  it("because no platform answers tells it, and the next run starts the job", async () => {
    const platform = await testPlatform();
    const stack = await testStack(platform, { site });
    const { DOCS_PLATFORM_BASE_URL } = stack.environment;
    // The discard port: nothing listens there.
    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL: "http://127.0.0.1:9", DOCS_PLATFORM_MAX_RETRIES: "1" });
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toContain("DOCS_CONNECTION");
    expect(output).toContain("ECONNREFUSED");
    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });

  it("because the platform refuses the domain shows its words", async () => {
    const stack = await testStack(await testPlatform({ domains: ["docs.example.org"] }), { site });
    const { code, output, requests } = await stack.up();
    expect({ code, requests }).toEqual({ code: anError, requests: [start] });
    expect(output).toContain("DOCS_REFUSED");
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
    expect(output).toContain('new StaticExport("…", { domain: "docs.example.com", jobId: "<the id of that job>" })');
    stack.declare({ site: { ...site, jobId } });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(platform.starts).toBe(1);
  });
});

describe("the base URL", () => {
  it("changed, makes an update refuse, naming both origins, without a request", async () => {
    const platform = await testPlatform();
    const other = await testPlatform();
    const stack = await stackAfterUp(platform);
    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL: other.baseUrl, DOCS_PLATFORM_API_KEY: other.apiKey });
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0 });
    stack.declare({ ...siteAndBundle, bundle: { version: "v2" } });
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toContain("DOCS_ORIGIN");
    expect(other.requests).toEqual([]);
  });
});
