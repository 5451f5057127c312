import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Platform } from "../../../simulator/index";
import { requireTool } from "../../support/requireTool";
import { engines } from "../../support/terraform/engines";
import { completeAll, exportOf, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { until } from "../../support/until";

const impatient = exportOf('  wait_timeout = "3s"\n');
const patient = exportOf('  wait_timeout = "1h"\n');
const message = `resource "docsplatform_agent_message" "fix" {
  project_id = "docs"
  job_id     = "job"
  prompt     = "Fix."
}
`;
const linkAndMirror = `resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "file://\${abspath("copies")}"
}
`;

let platform: Platform;
let stack: TerraformStack;

/** A platform whose jobs never end by themselves. */
function endlessPlatform(...agents: readonly string[]): Promise<Platform> {
  return terraformPlatform({
    jobTime: Number.POSITIVE_INFINITY,
    agentJobs: agents.map((id) => ({ projectId: "docs", id })),
    agentTime: Number.POSITIVE_INFINITY,
  });
}

async function declare(command: () => Promise<string>, configuration: string): Promise<void> {
  platform = await endlessPlatform("job");
  stack = await TerraformStack.reattached(platform, configuration, await command());
}

const newestJob = () => platform.jobs.list().at(-1)?.jobId ?? "";
const site = () => stack.state(siteAddress);
const running = () => ({ tainted: false, attributes: { job_id: newestJob(), completed_at: null } });
const completed = () => ({ tainted: false, attributes: { job_id: newestJob(), status: "completed" } });

async function expectOneStart(): Promise<void> {
  expect(site()).toMatchObject(completed());
  expect(platform.starts).toBe(1);
  await stack.expectNothingToDo();
}

const fates = ["completed", "failed", "endless"] as const;
type Fate = (typeof fates)[number];
/** Only the wait for an endless job may reach its limit. No other wait takes an hour, even on a busy machine. */
const limitOf = (fate: Fate) => (fate === "endless" ? "3s" : "1h");
const startsOf = (name: string, limit: string) => `resource "docsplatform_static_export" "${name}" {
  domain       = "${name}.example.com"
  wait_timeout = "${limit}"
}
resource "docsplatform_agent_message" "${name}" {
  project_id          = "docs"
  job_id              = "${name}"
  prompt              = "Fix."
  wait_for_completion = true
  wait_timeout        = "${limit}"
}
`;

function finishJob(fate: Fate, status: "completed" | "failed"): void {
  const { jobId = "" } = platform.jobs.list().findLast(({ domain }) => domain.startsWith(fate)) ?? {};
  platform.jobs[status === "completed" ? "complete" : "fail"](jobId, "out of pages");
  platform.agents.forget(fate);
  platform.agents.add({ projectId: "docs", id: fate, status });
}

describe.skipIf(!requireTool("terraform")).each(engines)("the end of a job, on %s,", (_, command) => {
  it("is an error if the job failed, of an export as of a message, in a create and in an update; a message is sent once", async () => {
    platform = await endlessPlatform(...fates);
    stack = await TerraformStack.reattached(
      platform,
      fates.map((fate) => startsOf(fate, limitOf(fate))).join(""),
      await command(),
    );
    const counts = () => ({ starts: platform.starts, messages: platform.counts.sendMessage });
    const told = async (code: number) => {
      const output = await stack.expectApply(code);
      const diagnostics = output.matchAll(/(Warning|Error): (DOCS_\w+): (?:export job \S+ of|agent job) (\w+)/g);
      const types = ["docsplatform_static_export", "docsplatform_agent_message"] as const;
      return {
        told: [...diagnostics].map(([, ...parts]) => parts.join(" ")).toSorted(),
        saved: types.map((type) => stack.addresses(type).map((address) => address.split(".")[1])),
        tainted: types.flatMap((type) => stack.addresses(type).filter((address) => stack.state(address)?.tainted)),
      };
    };

    const first = told(1);
    await until(() => platform.starts === 3 && platform.counts.sendMessage === 3);
    const awaited = fates.filter((fate) => fate !== "endless");
    await until(() => awaited.every((id) => platform.requests.some(({ path }) => path.endsWith(`/job/${id}`))));
    finishJob("completed", "completed");
    finishJob("failed", "failed");
    expect(await first).toEqual({
      told: [
        "Error DOCS_JOB_FAILED failed",
        "Error DOCS_JOB_FAILED failed",
        "Warning DOCS_WAIT_TIMEOUT endless",
        "Warning DOCS_WAIT_TIMEOUT endless",
      ],
      saved: [
        ["completed", "endless"],
        ["completed", "endless"],
      ],
      tainted: [],
    });

    finishJob("endless", "failed");
    platform.jobTime = 0;
    // Soon after a message, a status such as `completed` may still be the one from before the message. So the test
    // moves the clock.
    const now = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await told(1)).toEqual({
      told: ["Error DOCS_JOB_FAILED endless", "Error DOCS_JOB_FAILED endless", "Error DOCS_JOB_FAILED failed"],
      saved: [
        ["completed", "endless", "failed"],
        ["completed", "endless"],
      ],
      tainted: [],
    });
    expect(counts()).toEqual({ starts: 4, messages: 3 });

    for (const fate of fates) {
      finishJob(fate, "completed");
    }
    expect(await told(0)).toMatchObject({ told: [], saved: [expect.any(Array), ["completed", "endless", "failed"]] });
    expect(counts()).toEqual({ starts: 5, messages: 3 });
    await stack.expectNothingToDo();
  });
});

describe.skipIf(!requireTool("terraform")).each(engines)("a create whose wait ends early, on %s,", (_, command) => {
  it("is green with a warning that names the job; the next apply updates in place, and starts nothing", async () => {
    await declare(command, impatient.replace(/\}\n$/, "  lifecycle {\n    prevent_destroy = true\n  }\n}\n"));
    const output = await stack.expectApply(0);
    expect(output).toContain("Warning: DOCS_WAIT_TIMEOUT: export job");
    expect(output).toContain("when wait_timeout (3s) ended");
    expect(output).toContain(`export job ${newestJob()}, last seen "`);
    expect(output).toContain("continues to wait for this job, and starts no new job");
    expect(site()).toMatchObject(running());
    const { code, output: planned, requests } = await stack.plan();
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(planned).toContain("will be updated in-place");
    expect(planned).toContain(newestJob());
    expect(await stack.expectApply(1)).toContain("Error: DOCS_WAIT_TIMEOUT");
    expect(site()).toMatchObject(running());
    completeAll(platform);
    await stack.expectApply(0);
    await expectOneStart();
  });

  it("leaves no apply green that needs the job: a link and a mirror fail, and name it", async () => {
    await declare(command, `${impatient}${linkAndMirror}`);
    const told = await stack.expectApply(1);
    const refused = `Error: DOCS_CONFLICT: "generate export bundle" \\(job_id ${newestJob()}\\)`;
    expect(told.match(new RegExp(refused, "g"))).toHaveLength(2);
    expect(await stack.expectApply(1)).toContain(`Error: DOCS_WAIT_TIMEOUT: export job ${newestJob()}`);
    expect(site()).toMatchObject(running());
    completeAll(platform);
    await stack.expectApply(0);
    expect(stack.state("docsplatform_bundle_mirror.copy")?.attributes).toMatchObject({ version: newestJob() });
    await expectOneStart();
  });

  it("by an outage is continued on another machine, without a journal, and where nothing is read", async () => {
    await declare(command, patient);
    process.env.DOCS_PLATFORM_MAX_RETRIES = "0";
    process.env.DOCS_PLATFORM_JOURNAL = join(stack.folder, "main.tf", "journal");
    platform.inject({ operation: "getExport", count: Number.POSITIVE_INFINITY, kind: "reset" });
    expect(await stack.expectApply(0)).toContain("Warning: DOCS_CONNECTION");
    expect(site()?.tainted).toBe(false);
    platform.clearFaults();
    completeAll(platform);
    process.env.DOCS_PLATFORM_JOURNAL = join(stack.folder, "another");
    await stack.expectApply(0, "-refresh=false");
    await expectOneStart();
  });

  it("is replaced by a new job once its own has failed, although its changes are ignored", async () => {
    await declare(command, impatient.replace(/\}\n$/, "  lifecycle {\n    ignore_changes = all\n  }\n}\n"));
    await stack.expectApply(0);
    platform.jobs.fail(newestJob(), "no title");
    expect(await stack.expectApply(1)).toContain("Error: DOCS_JOB_FAILED");
    platform.jobTime = 0;
    expect(await stack.expectApply(0)).toContain("1 added, 0 changed, 1 destroyed");
    expect({ starts: platform.starts, site: site() }).toMatchObject({ starts: 2, site: completed() });
  });

  it("of a message sends it once", async () => {
    await declare(command, message.replace("\n}", '\n  wait_for_completion = true\n  wait_timeout = "3s"\n}'));
    expect(await stack.expectApply(0)).toContain("Warning: DOCS_WAIT_TIMEOUT: agent job job");
    expect(stack.state("docsplatform_agent_message.fix")).toMatchObject({ tainted: false });
    await stack.expectApply(1);
    platform.agents.complete("job");
    await stack.expectApply(0);
    expect(platform.counts.sendMessage).toBe(1);
    await stack.expectNothingToDo();
  });

  it("sends what it has to send, although its limit ends before the turn of its request", async () => {
    const names = ["one", "two"];
    platform = await endlessPlatform(...names);
    const configuration = names.map((name) => startsOf(name, "100ms")).join("");
    stack = await TerraformStack.reattached(platform, configuration, await command());
    process.env.DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND = "1";
    const output = await stack.expectApply(0);
    expect(output.match(/Warning: DOCS_WAIT_TIMEOUT/g)).toHaveLength(4);
    expect([platform.starts, platform.counts.sendMessage]).toEqual([2, 2]);
  });

  it("is distinguished from a job that failed, which is an error, and is not saved: the next apply starts again", async () => {
    await declare(command, patient);
    platform.jobTime = 0;
    platform.failJobs = "out of pages";
    expect(await stack.expectApply(1)).toMatch(/Error: DOCS_JOB_FAILED.*out of pages/);
    expect(site()).toBeUndefined();
    platform.failJobs = undefined;
    const first = newestJob();
    expect(await stack.expectApply(0)).not.toContain(first);
    expect({ starts: platform.starts, site: site() }).toMatchObject({ starts: 2, site: completed() });
  });

  it.each([
    ["a key", "DOCS_PLATFORM_API_KEY", ""],
    ["right settings", "DOCS_PLATFORM_REQUEST_TIMEOUT", "soon"],
    ["a place for the journal", "DOCS_PLATFORM_JOURNAL", "gs://bucket/prefix"],
  ])(
    "is not made by a replacement without %s, which destroys nothing; a destroy needs none",
    async (_, name, wrong) => {
      await declare(command, `${patient}${linkAndMirror}`);
      completeAll(platform);
      await stack.expectApply(0);
      const before = site();
      process.env[name] = wrong;
      const output = await stack.expectApply(1, `-replace=${siteAddress}`);
      expect(output).toContain("DOCS_CONFIGURATION");
      expect(output).toContain(`${newestJob()}, in the state: it was not deleted`);
      expect(site()).toEqual(before);
      expect(stack.state("docsplatform_export_bundle.bundle")).toBeDefined();
      expect(readdirSync(join(stack.folder, "copies"))).toContain(`${newestJob()}.tar.gz`);
      expect(platform.starts).toBe(1);
      const destroyed = await stack.destroy();
      expect(destroyed.code, destroyed.output).toBe(0);
    },
  );
});
