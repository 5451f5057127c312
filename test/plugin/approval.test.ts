import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import type { EngineStack } from "../support/engineStack";
import { testPlatform, testStack } from "../support/engineTest";
import { campaignSeed } from "../support/random";
import { previewWithPlan, upWithPlan } from "./approved";
import { dynamic, type Host, type Program, yaml } from "./hosts";

const domain = "docs.example.com";

const steps = campaign ? 8 : 3;

/** A stack of one export, its link and its mirror, after a first run that was held to its preview. */
async function approvedStack(host: Host, platform: Platform) {
  const stack = await testStack(platform, {});
  stack.environment.PULUMI_EXPERIMENTAL = "true";
  await host.prepare(stack);
  const destination = pathToFileURL(join(stack.folder, "mirrored")).href;
  const declare = ({ site, bundle, copy }: Program) =>
    host.declare(stack, { site: { domain, ...site }, bundle: { ...bundle }, copy: { destination, ...copy } });
  declare({});
  expect(await approve(stack)).toEqual({ site: "create", bundle: "create", copy: "create" });
  return { stack, declare };
}

/** Runs what the preview shows, and gives back what both have in common: everything. */
async function approve(stack: EngineStack) {
  const { run: preview, shown } = await previewWithPlan(stack);
  expect(preview).toMatchObject({ code: 0, requests: [] });
  const { run, done } = await upWithPlan(stack);
  expect(run.code, run.output).toBe(0);
  expect(done).toEqual(shown);
  return shown;
}

describe.each([dynamic, yaml])("on the host $name, a run that is held to its preview", (host) => {
  it("goes through: nothing changed, a new job, a renewal, a change of only waitTimeout, a wait that goes on", async () => {
    const platform = await testPlatform({ jobTime: 0, linkLife: 600_000 });
    const { stack, declare } = await approvedStack(host, platform);
    expect(await approve(stack)).toEqual({});
    // The link of the renewal.
    platform.linkLife = 1_000;
    declare({ site: { triggers: 2 } });
    expect(await approve(stack)).toEqual({ site: "replace", bundle: "replace", copy: "replace" });
    platform.linkLife = 600_000;
    await sleep(1_000);
    expect(await approve(stack)).toEqual({ bundle: "update" });
    declare({ site: { triggers: 2, waitTimeout: "45m" } });
    expect(await approve(stack)).toEqual({});
    // A wait that ended early, and goes on.
    platform.jobTime = 600_000;
    declare({ site: { triggers: 3, waitTimeout: "1s" } });
    expect((await stack.up()).output).toContain("DOCS_WAIT_TIMEOUT");
    platform.jobs.complete(String(platform.jobs.list().at(-1)?.jobId));
    expect(await approve(stack)).toEqual({ site: "update", bundle: "replace", copy: "replace" });
  }, 480_000);

  it(
    "does nothing that the preview has not shown, whatever changes",
    async () => {
      const changes = fc.array(changeOf(["job-a", "job-b"]), { minLength: steps, maxLength: steps });
      await fc.assert(
        fc.asyncProperty(changes, async (drawn) => {
          const platform = await testPlatform({ jobTime: 0, linkLife: 600_000 });
          const adopted = ["job-a", "job-b"].map((jobId) => platform.jobs.add({ jobId, domain, status: "completed" }));
          expect(adopted).toHaveLength(2);
          const { stack, declare } = await approvedStack(host, platform);
          let program: Program = {};
          for (const { linkLife, fails, ...changed } of drawn) {
            program = { ...program, ...changed };
            declare(program);
            platform.linkLife = linkLife;
            if (fails) {
              platform.inject({ operation: "getExport", kind: "body", body: { status: "failed" } });
            }
            const { run: preview, shown } = await previewWithPlan(stack);
            expect(preview, preview.output).toMatchObject({ code: 0, requests: [] });
            const { run, done } = await upWithPlan(stack);
            expect(run.output).not.toContain("plan");
            expect(shown).toMatchObject(done);
            expect(run.code === 0 ? done : shown, run.output).toEqual(shown);
          }
        }),
        { numRuns: campaign ? 8 : 1, seed: campaignSeed(), endOnFailure: true },
      );
    },
    campaign ? 1_800_000 : 240_000,
  );
});

/** A change of one resource or two; what one of them holds takes the place of what it held before. */
function changeOf(jobs: readonly string[]) {
  return fc.record(
    {
      site: fc.record(
        {
          triggers: fc.nat(3),
          jobId: fc.constantFrom(...jobs),
          waitTimeout: fc.constantFrom("30m", "45m"),
        },
        { requiredKeys: [] },
      ),
      bundle: fc.record(
        {
          renewBefore: fc.constantFrom("0", "24h"),
          version: fc.constantFrom("v1", "v2"),
          verifyLink: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      copy: fc.record(
        {
          layout: fc.constantFrom("archive", "site"),
          publicUrl: fc.constantFrom("https://a.example.com", "https://b.example.com"),
        },
        { requiredKeys: [] },
      ),
      /** Of the links that the run mints: the next one finds them good, or ended. */
      linkLife: fc.constantFrom(1_000, 600_000),
      /** The platform says of a job that it failed, at the next look. */
      fails: fc.boolean(),
    },
    { requiredKeys: ["linkLife", "fails"] },
  );
}
