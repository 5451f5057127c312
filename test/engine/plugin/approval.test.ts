import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { changeOf, type ProgramChange } from "../../support/drawnChanges";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { campaignSeed } from "../../support/random";
import { sharedStack } from "../../support/sharedStack";
import { previewWithPlan, upWithPlan } from "./approved";
import { dynamicNode, type Program, type ProgramHost, yaml } from "./hosts";

const domain = "docs.example.com";

/** Makes a stack with one export, its link and its mirror, and returns a function that declares a change of it. */
async function prepare(stack: EngineStack, host: ProgramHost): Promise<(program: Program) => void> {
  stack.environment.PULUMI_EXPERIMENTAL = "true";
  await host.prepare(stack);
  const destination = pathToFileURL(join(stack.folder, "mirrored")).href;
  return ({ site, bundle, copy }) =>
    host.declare(stack, { site: { domain, ...site }, bundle: { ...bundle }, copy: { destination, ...copy } });
}

/** Runs what the preview shows, and returns what both have in common, which must be everything. */
async function approve(stack: EngineStack) {
  const { run: preview, shown } = await previewWithPlan(stack);
  expect(preview).toMatchObject({ code: 0, requests: [] });
  const { run, done } = await upWithPlan(stack);
  expect(run.code, run.output).toBe(0);
  expect(done).toEqual(shown);
  return shown;
}

describe.each([dynamicNode, yaml])("on the host $name, a run that is held to its preview", (host) => {
  let declare: (program: Program) => void;
  const story = sharedStack({ jobTime: 0, linkLife: 600_000 }, async ({ stack }) => {
    declare = await prepare(stack, host);
  });

  it("creates what is declared", async () => {
    declare({});
    expect(await approve(story.stack)).toEqual({ site: "create", bundle: "create", copy: "create" });
  });

  it("replaces an export with what is made of it", async () => {
    // The link after the renewal.
    story.platform.linkLife = 1_000;
    declare({ site: { triggers: 2 } });
    expect(await approve(story.stack)).toEqual({ site: "replace", bundle: "replace", copy: "replace" });
  });

  it("renews a link, and does nothing to an export of which only waitTimeout has changed", async () => {
    story.platform.linkLife = 600_000;
    await sleep(1_000);
    declare({ site: { triggers: 2, waitTimeout: "45m" } });
    expect(await approve(story.stack)).toEqual({ bundle: "update" });
  });

  it("goes on with a wait that has ended early", async () => {
    const { stack, platform } = story;
    platform.jobTime = 600_000;
    declare({ site: { triggers: 3, waitTimeout: "5s" } });
    expect((await stack.up()).output).toContain("DOCS_WAIT_TIMEOUT");
    platform.jobs.complete(String(platform.jobs.list().at(-1)?.jobId));
    expect(await approve(stack)).toEqual({ site: "update", bundle: "replace", copy: "replace" });
  });
});

// In `npm test`, plan.test.ts draws such changes at the protocol.
describe.runIf(campaign).each([dynamicNode, yaml])("on the host $name, a run of drawn changes", (host) => {
  it("does nothing that the preview has not shown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changeOf(["job-a", "job-b"]), { minLength: 8, maxLength: 8 }), async (drawn) => {
        const platform = await testPlatform({ jobTime: 0, linkLife: 600_000 });
        const adopted = ["job-a", "job-b"].map((jobId) => platform.jobs.add({ jobId, domain, status: "completed" }));
        expect(adopted).toHaveLength(2);
        const stack = await testStack(platform, {});
        const declareChange = await prepare(stack, host);
        declareChange({});
        await approve(stack);
        let change: ProgramChange = {};
        for (const { linkIsShort, fails, ...changed } of drawn) {
          change = { ...change, ...changed };
          declareChange({ ...change });
          platform.linkLife = linkIsShort ? 1_000 : 600_000;
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
      { numRuns: 8, seed: campaignSeed(), endOnFailure: true },
    );
  }, 1_800_000);
});
