import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { look, start, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { until } from "../../support/until";

const long = 600_000;
const export_ = `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
`;
const impatient = export_.replace("\n}", '\n wait_timeout = "2s"\n}');

/** The job ends, and a run without a fault must take it up and start none. */
async function expectTakenUp(platform: Platform, stack: TerraformStack): Promise<void> {
  const [{ jobId = "" } = {}] = platform.jobs.list();
  platform.jobs.complete(jobId);
  stack.write(export_);
  const { code, output, requests } = await stack.apply();
  expect(code, output).toBe(0);
  expect(tally(requests)[start]).toBeUndefined();
  expect(platform.starts).toBe(1);
  expect(stack.state(siteAddress)).toMatchObject({
    tainted: false,
    attributes: { job_id: jobId, status: "completed" },
  });
  expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
}

describe.skipIf(!requireTool("terraform")).concurrent("no job is lost, and none is started twice, on Terraform", () => {
  it("a wait that ends in wait_timeout is an error that says what goes on, and the next apply goes on with the same job", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const stack = await TerraformStack.create(platform, impatient);
    const { code, output } = await stack.apply();
    const [{ jobId = "" } = {}] = platform.jobs.list();
    expect(code).toBe(1);
    expect(output).toContain("DOCS_WAIT_TIMEOUT");
    expect(output).toContain("when wait_timeout (2s) ended");
    expect(output).toContain(`export job ${jobId}`);
    expect(output).toContain("terraform untaint");
    expect(stack.state(siteAddress)).toMatchObject({ tainted: true, attributes: { job_id: jobId } });
    await expectTakenUp(platform, stack);
  });

  it("so it does with create_before_destroy, and where untaint was said before", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const inOrder = impatient.replace("\n}", "\n lifecycle { create_before_destroy = true }\n}");
    const stack = await TerraformStack.create(platform, inOrder);
    expect((await stack.apply()).code).toBe(1);
    expect((await stack.apply()).code).toBe(1);
    expect(platform.starts).toBe(1);
    expect((await stack.run("untaint", siteAddress)).code).toBe(0);
    await expectTakenUp(platform, stack);
  });

  it("a Ctrl-C leaves the job in the state, untainted", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const stack = await TerraformStack.create(platform, export_);
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.requests.some(({ method }) => method === "GET"));
    run.interrupt();
    const { code, output } = await run.ended;
    expect(code, output).toBe(1);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(stack.state(siteAddress)).toMatchObject({ tainted: false });
    await expectTakenUp(platform, stack);
  });

  it("a second Ctrl-C leaves it in the journal", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    platform.inject({ operation: "getExport", kind: "hang", count: 50 });
    const stack = await TerraformStack.create(platform, export_);
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.requests.some(({ method }) => method === "GET"));
    run.interrupt();
    run.interrupt();
    expect((await run.ended).code).toBe(1);
    platform.clearFaults();
    await expectTakenUp(platform, stack);
  });

  it("so does a SIGKILL of the provider", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const stack = await TerraformStack.create(platform, export_);
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.requests.some(({ method }) => method === "GET"));
    for (const pid of stack.providers()) {
      process.kill(pid, "SIGKILL");
    }
    await run.ended;
    await until(() => stack.providers().length === 0, 100);
    await expectTakenUp(platform, stack);
  });

  it("so does a SIGKILL of Terraform, whose provider ends by itself; resources of equal inputs keep a job each", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const stack = await TerraformStack.create(platform, export_.replace("{", "{\n count = 12"));
    const run = stack.start("apply", "-auto-approve", "-parallelism=12");
    await until(() => platform.starts === 12 && platform.requests.filter(({ method }) => method === "GET").length > 14);
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    await until(() => stack.providers().length === 0, 100);
    for (const { jobId } of platform.jobs.list()) {
      platform.jobs.complete(jobId);
    }
    const next = await stack.apply("-parallelism=12");
    expect(next.code, next.output).toBe(0);
    expect(platform.starts).toBe(12);
    for (const { jobId } of platform.jobs.list()) {
      expect(next.output).toContain(`continues with export job ${jobId}`);
    }
    expect(tally(next.requests)[start]).toBeUndefined();
    const { instances } = JSON.parse(readFileSync(stack.stateFile, "utf8")).resources[0];
    expect(instances).toMatchObject(Array(12).fill({ attributes: { status: "completed" } }));
    expect(instances.map(({ status }: { status?: string }) => status)).not.toContain("tainted");
    const ids = instances.map(({ attributes }: { attributes: { job_id: string } }) => attributes.job_id);
    expect(new Set(ids)).toEqual(new Set(platform.jobs.list().map(({ jobId }) => jobId)));
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it("so does a SIGKILL while the start is not answered yet, however long the answer takes", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    platform.inject({ operation: "startExport", kind: "lateAnswer", ms: 7_000 });
    const stack = await TerraformStack.create(platform, export_);
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.starts === 1);
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    await until(() => stack.providers().length === 0, 200);
    await expectTakenUp(platform, stack);
  });

  it("an outage during the wait is an error that keeps the job", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const stack = await TerraformStack.create(platform, export_);
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    platform.inject({ operation: "getExport", kind: "reset", after: 1, count: Number.POSITIVE_INFINITY });
    const { code, output } = await stack.apply();
    expect(code).toBe(1);
    expect(output).toContain("DOCS_CONNECTION");
    platform.clearFaults();
    await expectTakenUp(platform, stack);
  });

  it("a job that failed is an error, and the next apply starts a new one", async () => {
    const platform = await terraformPlatform({ failJobs: "out of pages" });
    const stack = await TerraformStack.create(platform, export_);
    const { code, output } = await stack.apply();
    expect(code).toBe(1);
    expect(output).toContain("DOCS_JOB_FAILED");
    expect(output).toContain("out of pages");
    platform.failJobs = undefined;
    const next = await stack.apply();
    expect(next.code, next.output).toBe(0);
    expect(platform.starts).toBe(2);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it("a start whose answer was lost is never repeated blindly, and the error tells both ways out", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, export_);
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    const first = await stack.apply();
    expect(first.code).toBe(1);
    const second = await stack.apply();
    expect(second).toMatchObject({ code: 1, requests: [] });
    expect(second.output).toContain("DOCS_AMBIGUOUS_START");
    expect(second.output).toContain("DOCS_PLATFORM_NOT_STARTED=");
    expect(second.output).toContain("job_id = ");
    expect(platform.starts).toBe(1);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.write(export_.replace("\n}", `\n job_id = "${jobId}"\n}`));
    const adopted = await stack.apply();
    expect(adopted.code, adopted.output).toBe(0);
    expect(tally(adopted.requests)).toEqual({ [look(jobId)]: 1 });
    expect(platform.starts).toBe(1);
  });

  it("a job that is in the way is waited for, and told of where it outlasts wait_timeout", async () => {
    const platform = await terraformPlatform({ jobTime: long, oneJobPerDomain: true });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const stack = await TerraformStack.create(platform, impatient);
    const { code, output } = await stack.apply();
    expect(code).toBe(1);
    expect(output).toContain("DOCS_CONFLICT");
    expect(output).toContain(`job_id = "${jobId}"`);
    platform.jobs.complete(jobId);
    platform.jobTime = 50;
    stack.write(export_);
    const next = await stack.apply();
    expect(next.code, next.output).toBe(0);
    expect(platform.starts).toBe(1);
  });

  it("a run that was killed in one folder is gone on with in another of the same journal_scope, and of no other", async () => {
    const platform = await terraformPlatform({ jobTime: long });
    const scoped = (scope: string) => `provider "docsplatform" {\n  journal_scope = "${scope}"\n}\n${export_}`;
    const [one, same, other] = await Promise.all(
      ["docs", "docs", "others"].map((scope) => TerraformStack.create(platform, scoped(scope))),
    );
    if (!one || !same || !other) {
      throw new Error("three stacks are wanted");
    }
    for (const stack of [same, other]) {
      stack.environment.DOCS_PLATFORM_JOURNAL = one.environment.DOCS_PLATFORM_JOURNAL;
    }
    const run = one.start("apply", "-auto-approve");
    await until(() => platform.requests.some(({ method }) => method === "GET"));
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    await until(() => one.providers().length === 0, 200);
    platform.jobTime = 50;
    const stranger = await other.apply();
    expect(stranger.code, stranger.output).toBe(0);
    expect(platform.starts).toBe(2);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    platform.jobs.complete(jobId);
    const next = await same.apply();
    expect(next.code, next.output).toBe(0);
    expect(platform.starts).toBe(2);
    expect(same.state(siteAddress)?.attributes).toMatchObject({ job_id: jobId });
  });
});
