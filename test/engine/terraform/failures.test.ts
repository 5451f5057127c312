import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { campaign } from "../../support/campaign";
import { look, start, tally } from "../../support/engineTest";
import { entriesToRemove } from "../../support/entriesToRemove";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import {
  completeAll,
  exportOf,
  killTerraform,
  siteAddress,
  TerraformStack,
  terraformPlatform,
} from "../../support/terraformStack";
import { until } from "../../support/until";

const export_ = exportOf();

interface Begun {
  platform: Platform;
  stack: TerraformStack;
  run: ReturnType<TerraformStack["start"]>;
}

const isPolled = (platform: Platform) => platform.requests.some(({ method }) => method === "GET");

async function begin(configuration = export_): Promise<Begun> {
  const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
  const stack = await TerraformStack.create(platform, configuration);
  const run = stack.start("apply", "-auto-approve", "-parallelism=12");
  await until(() => isPolled(platform));
  return { platform, stack, run };
}

/** Completes the job. Asserts that the next run continues with it and starts no other job. */
async function expectContinued({ platform, stack }: Omit<Begun, "run">): Promise<void> {
  completeAll(platform);
  const { code, output, requests } = await stack.apply();
  expect(code, output).toBe(0);
  expect(tally(requests)[start]).toBeUndefined();
  expect(platform.starts).toBe(1);
  const job_id = platform.jobs.list()[0]?.jobId;
  expect(stack.state(siteAddress)).toMatchObject({ tainted: false, attributes: { job_id, status: "completed" } });
  await stack.expectNothingToDo();
}

/**
 * Generates exports, many of them equal, in up to three configurations of the provider. Some exports depend on others,
 * so Terraform ends the process of one configuration while another configuration still has work.
 */
function drawExports(random: Random): { hcl: string; addresses: [string, ...string[]] } {
  const addressOf = (number: number) => `docsplatform_static_export.e${number}`;
  const addresses: [string, ...string[]] = [addressOf(0)];
  const blocks = [0, 1, 2].map((number) => `provider "docsplatform" {\n  alias = "p${number}"\n}\n`);
  const exports = Array.from({ length: random.whole(2, 4) }, (_, number) => {
    const needs = addresses.slice(0, number).filter(() => random.next() < 0.6);
    const more = `  provider   = docsplatform.p${random.whole(0, 2)}\n  depends_on = [${needs.join(", ")}]\n  triggers   = ${random.whole(0, 1)}\n`;
    addresses[number] = addressOf(number);
    return exportOf(more, `e${number}`);
  });
  return { hcl: [...blocks, ...exports].join(""), addresses };
}

describe.skipIf(!requireTool("terraform")).concurrent("no job is lost, and none is started twice, on Terraform", () => {
  it("a Ctrl-C leaves the job in the state, untainted", async () => {
    const begun = await begin();
    begun.run.interrupt();
    const { code, output } = await begun.run.ended;
    expect(code, output).toBe(1);
    expect(output).toContain("DOCS_INTERRUPTED");
    expect(begun.stack.state(siteAddress)).toMatchObject({ tainted: false });
    await expectContinued(begun);
  });

  it("a SIGKILL of the provider leaves it in the journal", async () => {
    const { run, stack, platform } = await begin();
    for (const pid of stack.providers()) {
      process.kill(pid, "SIGKILL");
    }
    await run.ended;
    await until(() => stack.providers().length === 0, 100);
    await expectContinued({ platform, stack });
  });

  it("so does a SIGKILL of Terraform, whose provider ends by itself; resources of equal inputs keep a job each", async () => {
    const { run, stack, platform } = await begin(exportOf("  count = 12\n"));
    await until(() => platform.starts === 12 && platform.requests.filter(({ method }) => method === "GET").length > 14);
    await killTerraform({ run, stack });
    completeAll(platform);
    const next = await stack.apply("-parallelism=12");
    expect(next.code, next.output).toBe(0);
    expect(platform.starts).toBe(12);
    const ids = platform.jobs.list().map(({ jobId }) => jobId);
    expect(ids.filter((id) => !next.output.includes(`continues with export job ${id}`))).toEqual([]);
    const { instances = [] } = stack.stateOf(siteAddress) ?? {};
    expect(instances).toMatchObject(Array(12).fill({ attributes: { status: "completed" } }));
    expect(instances.map(({ status }) => status)).not.toContain("tainted");
    expect(new Set(instances.map(({ attributes }) => attributes.job_id))).toEqual(new Set(ids));
    await stack.expectNothingToDo();
  });

  it("a killed replacement continues although the backend does not know of it, and its plan knew only a part of an input", async () => {
    const partlyKnown = (run: number) => `resource "terraform_data" "later" {
  input            = "html"
  triggers_replace = ${run}
}
${exportOf(`  export_options = { format = terraform_data.later.output, locale = "en" }\n  triggers = ${run}\n`)}`;
    const platform = await terraformPlatform({ jobTime: 0 });
    const stack = await TerraformStack.create(platform, partlyKnown(1));
    await stack.expectApply(0);
    const saved = readFileSync(stack.stateFile);
    stack.write(partlyKnown(2));
    platform.jobTime = Number.POSITIVE_INFINITY;
    const run = stack.start("apply", "-auto-approve");
    const polls = platform.counts.getExport;
    await until(() => platform.counts.getExport > polls);
    await killTerraform({ run, stack });
    writeFileSync(stack.stateFile, saved);
    completeAll(platform);
    stack.write(partlyKnown(2).replace("terraform_data.later.output", '"html"'));
    await stack.expectApply(0);
    expect(platform.starts).toBe(2);
    expect(stack.state(siteAddress)?.attributes.job_id).toBe(platform.jobs.list()[1]?.jobId);
  });

  it("a start whose answer was lost is never repeated blindly; the error shows both ways out, and an adoption settles it", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, export_);
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    await stack.expectApply(1);
    const second = await stack.apply();
    expect(second).toMatchObject({ code: 1, requests: [] });
    expect(second.output).toContain("DOCS_AMBIGUOUS_START");
    expect(entriesToRemove(second.output)).toHaveLength(1);
    expect(second.output).toContain("job_id = ");
    expect(platform.starts).toBe(1);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.write(exportOf(`  job_id = "${jobId}"\n`));
    const adopted = await stack.apply();
    expect(adopted.code, adopted.output).toBe(0);
    expect(tally(adopted.requests)).toEqual({ [look(jobId)]: 1 });
    stack.write(export_);
    await stack.expectApply(0, `-replace=${siteAddress}`);
    expect(platform.starts).toBe(2);
  });

  it("a job that is in the way is waited for, and reported where it outlasts wait_timeout", async () => {
    const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY, oneJobPerDomain: true });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com" });
    const stack = await TerraformStack.create(platform, exportOf('  wait_timeout = "3s"\n'));
    const output = await stack.expectApply(1);
    expect(output).toContain("DOCS_CONFLICT");
    expect(output).toContain(`job_id = "${jobId}"`);
    completeAll(platform);
    stack.write(export_);
    await stack.expectApply(0);
    expect(platform.starts).toBe(1);
  });

  it("a run that was killed in one folder is continued with in another of the same journal_scope, and of no other", async () => {
    const scoped = (scope: string) => `provider "docsplatform" {\n  journal_scope = "${scope}"\n}\n${export_}`;
    const { platform, stack, run } = await begin(scoped("docs"));
    const inScope = async (scope: string) => {
      const other = await TerraformStack.create(platform, scoped(scope));
      other.environment.DOCS_PLATFORM_JOURNAL = stack.environment.DOCS_PLATFORM_JOURNAL;
      await other.expectApply(0);
      return other.state(siteAddress)?.attributes.job_id;
    };
    await killTerraform({ run, stack });
    completeAll(platform);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    expect(await inScope("others")).not.toBe(jobId);
    expect(platform.starts).toBe(2);
    expect(await inScope("docs")).toBe(jobId);
    expect(platform.starts).toBe(2);
  });

  it("exports of several configurations of the provider start a job each, whatever they depend on, and no run warns of them", async () => {
    const random = seededRandom(campaignSeed());
    for (let draw = 0; draw < (campaign ? 30 : 2); draw++) {
      const { hcl, addresses } = drawExports(random);
      const platform = await terraformPlatform({ jobTime: random.pick([0, 300]) });
      const stack = await TerraformStack.create(platform, hcl);
      expect(await stack.expectApply(0), hcl).not.toContain("earlier run");
      expect(platform.starts, hcl).toBe(addresses.length);
      const replaced = await stack.expectApply(0, `-replace=${random.pick(addresses)}`);
      expect(replaced, hcl).not.toContain("earlier run");
      expect(platform.starts, hcl).toBe(addresses.length + 1);
      const jobs = new Set(addresses.map((address) => stack.state(address)?.attributes.job_id));
      expect(jobs.size, hcl).toBe(addresses.length);
    }
  });
});
