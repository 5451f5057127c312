import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { campaign } from "../../support/campaign";
import { noteResult } from "../../support/campaignResults";
import type { DeclaredProgram, EngineStack } from "../../support/engineStack";
import { anError, look, testPlatform, testStack } from "../../support/engineTest";
import { entriesToRemove } from "../../support/entriesToRemove";
import { completionReported, killAll, providersOf, removeCutAttributes } from "../../support/fixtures/kills";
import { s3OfFile } from "../../support/mirror/s3Server";
import { filesIn } from "../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../support/random";
import { until } from "../../support/until";

const site: DeclaredProgram = { site: { domain: "docs.example.com" } };
const nothing = { code: 0, requests: [] };

const s3 = s3OfFile();
let count = 0;

async function stackWithBucket(
  platform: Platform,
  bucket = `journal-${count++}`,
  prefix = "acme",
): Promise<EngineStack> {
  const stack = await testStack(platform, site);
  const DOCS_PLATFORM_JOURNAL = s3.server.destination(bucket, prefix);
  Object.assign(stack.environment, s3.server.environment, {
    DOCS_PLATFORM_JOURNAL,
    DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
  });
  return stack;
}

const entriesIn = (bucket: string) =>
  filesIn(s3.server.folderOf(bucket)).filter((name) => name.endsWith(".json") && !name.startsWith(".sgwtmp"));

async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = s3.server.requests().length;
  await work();
  return s3.server
    .requests()
    .slice(before)
    .map((request) => request.split(" ")[0] ?? "");
}

/** Kills all processes of a run, and keeps only the backend and the bucket. */
async function machineIsGone(stack: EngineStack, running: { ended: Promise<unknown> }): Promise<void> {
  killAll(stack);
  await running.ended;
  removeCutAttributes(stack);
  await stack.moveToNewMachine();
  await stack.pulumi("cancel", "--yes");
}

describe("a journal that is lost with its machine", () => {
  it("is reported by the next start of what was cut off, which is not sent where the journal is required", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    await machineIsGone(stack, running);
    stack.environment.DOCS_PLATFORM_JOURNAL_REQUIRED = "true";
    const refused = await stack.up();
    expect(refused).toMatchObject({ code: anError, requests: [] });
    expect(refused.output).toMatch(/DOCS_JOURNAL: an earlier run was cut off .*sent nothing/);
    expect(refused.output).toMatch(/Exists now: perhaps a job for docs\.example\.com/);
    expect(refused.output).toMatch(/Next run: {3}sends nothing and fails with this error again/);
    expect(refused.output).toMatch(/\n +new StaticExport\("…", { domain: "docs\.example\.com", jobId: /);
    delete stack.environment.DOCS_PLATFORM_JOURNAL_REQUIRED;
    const warned = stack.start("up", "--yes", "--skip-preview");
    // The provider asks for the stack's state while it waits for the job, so the job goes on until the warning.
    const warning = /warning: .*an earlier run was cut off .*beside the one that this run starts/;
    await until(() => warning.test(warned.written.output));
    platform.jobs.complete(String(platform.jobs.list().at(-1)?.jobId));
    const { code, output } = await warned.ended;
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 2 });
  });
});

describe("a journal in a bucket", () => {
  it("costs two lists and three puts for each start; runs that start nothing cost nothing", async () => {
    const platform = await testPlatform();
    const stack = await stackWithBucket(platform, "costs");
    expect(await requestsOf(async () => expect(await stack.up()).toMatchObject({ code: 0 }))).toEqual([
      // The provider looks for an earlier entry of this start, writes its own entry, and looks for another run's entry.
      "GET",
      "PUT",
      "GET",
      "PUT",
      "PUT",
    ]);
    // The entry stays in the journal after the run. The next update, delete or create removes it.
    expect(entriesIn("costs")).toHaveLength(1);
    const unchanged = async () => expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await requestsOf(unchanged)).toEqual([]);
  });

  it("is shared by two stacks of one name in two backends by a prefix each: neither uses the other's job", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const [one, other] = [
      await stackWithBucket(platform, "shared", "acme"),
      await stackWithBucket(platform, "shared", "umbrella"),
    ];
    const running = one.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    await machineIsGone(one, running);
    const [first] = platform.jobs.list();
    platform.jobTime = 50;
    expect(await other.up()).toMatchObject({ code: 0 });
    expect((await other.outputs()).jobId).not.toBe(first?.jobId);
    platform.jobs.complete(String(first?.jobId));
    expect(await one.up()).toMatchObject({ code: 0, requests: [look(first?.jobId)] });
    expect(platform.starts).toBe(2);
    expect(await one.outputs()).toMatchObject({ jobId: first?.jobId, status: "completed" });
  });
});

const moments = ["in flight", "before the intent", "in the wait", "at the end"] as const;
const random = seededRandom(campaignSeed());
const kills = Array.from({ length: 40 }, (_, n) => {
  return [moments[n % moments.length] ?? "in flight", n, random.next()] as const;
});

async function comesTo(moment: (typeof moments)[number], share: number, stack: EngineStack, platform: Platform) {
  if (moment === "before the intent") {
    await until(() => providersOf(stack).length > 0);
    return sleep(share * 200);
  }
  if (moment === "in flight") {
    await until(() => platform.starts > 0);
    return sleep(share * 1_000);
  }
  if (moment === "in the wait") {
    await until(() => platform.counts.getExport > 0);
    return sleep(share * 1_500);
  }
  await completionReported(platform);
  return sleep(share * 50);
}

// Only the campaign runs all these kills. `npm test` runs one kill, in the test of two stacks with the same name.
describe.runIf(campaign)("a machine that is gone, and of which only backend and bucket are left", () => {
  it.each(kills)("%s (kill %i): the next one has one job, or says that there may be one", async (moment, _, share) => {
    const platform = await testPlatform({ jobTime: 2_000 });
    if (moment === "in flight") {
      platform.inject({ operation: "startExport", kind: "lateAnswer", ms: 60_000 });
    }
    const bucket = `journal-${count++}`;
    const stack = await stackWithBucket(platform, bucket);
    const running = stack.start("up", "--yes", "--skip-preview");
    await comesTo(moment, share, stack, platform);
    await machineIsGone(stack, running);
    const begin = Date.now();
    let next = await stack.up();
    const wasAmbiguous = next.output.includes("DOCS_AMBIGUOUS_START");
    if (wasAmbiguous) {
      expect(next).toMatchObject({ code: anError, requests: [] });
      const [job] = platform.jobs.list();
      if (job === undefined) {
        for (const name of entriesToRemove(next.output)) {
          rmSync(join(s3.server.folderOf(bucket), "acme", `${name}.json`));
        }
      } else {
        stack.declare({ site: { ...site.site, jobId: job.jobId } });
      }
      next = await stack.up();
    }
    const time = Date.now() - begin;
    const fault = `machine gone ${moment}`;
    noteResult({ fault, started: platform.starts, lost: platform.starts - 1, asked: wasAmbiguous ? 1 : 0, time });
    expect({ code: next.code, starts: platform.starts }, next.output).toEqual({ code: 0, starts: 1 });
    // A kill before the platform's answer (`in flight`) makes the start ambiguous. A later kill does not.
    expect(wasAmbiguous || moment !== "in flight").toBe(true);
    expect(wasAmbiguous && ["in the wait", "at the end"].includes(moment)).toBe(false);
    expect(await stack.outputs()).toMatchObject({ jobId: platform.jobs.list()[0]?.jobId, status: "completed" });
  });
});
