import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Platform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { unknownValue, type Values } from "../support/protocol/messages";
import { type Host, hosts } from "../support/protocol/protocolHosts";
import { type Declaration, type Pass, ProtocolStack } from "../support/protocol/protocolStack";
import { campaignSeed } from "../support/random";
import { type Change, type Circumstances, changeOf } from "./drawnChanges";

const domain = "docs.example.com";
/** So long that a preview and its run find the same, and so short that the next preview finds it ended; milliseconds. */
const shortLife = 30;

/** The program of an export, its link and its mirror, after these changes. */
function programOf(destination: string, { site, bundle, copy }: Change): Declaration[] {
  return [
    { name: "site", type: "StaticExport", inputs: () => ({ domain, ...site }) },
    {
      name: "bundle",
      type: "ExportBundle",
      inputs: (outputOf) => ({ jobId: outputOf("site", "jobId"), ...bundle }),
    },
    {
      name: "copy",
      type: "BundleMirror",
      inputs: (outputOf) => ({ jobId: outputOf("site", "jobId"), destination, ...copy }),
    },
  ];
}

const operationsOf = ({ steps }: Pass) =>
  Object.fromEntries(Object.entries(steps).map(([name, { operation }]) => [name, operation]));

/** What a preview knows is what the run finds; what a host writes for itself is left aside. */
function expectKept(planned: Values, found: Values): void {
  const known = Object.entries(planned).filter(
    ([name, value]) => !name.startsWith("__") && !JSON.stringify(value).includes(unknownValue),
  );
  expect(found).toMatchObject(Object.fromEntries(known));
}

/** Previews a program and runs it: the run does what was shown, up to its error. */
async function approve(stack: ProtocolStack, program: readonly Declaration[], platform: Platform): Promise<Pass> {
  const before = platform.requests.length;
  const preview = await stack.preview(program);
  expect(preview.error).toBeUndefined();
  expect(platform.requests.length).toBe(before);
  const run = await stack.up(program);
  const [shown, done] = [operationsOf(preview), operationsOf(run)];
  expect(shown).toMatchObject(done);
  if (run.error === undefined) {
    expect(done).toEqual(shown);
  }
  for (const [name, { inputs, outputs }] of Object.entries(run.steps)) {
    expectKept(preview.steps[name]?.inputs ?? {}, inputs);
    if (run.error === undefined) {
      expectKept(preview.steps[name]?.outputs ?? {}, outputs);
    }
  }
  return run;
}

async function hostAndPlatform(host: Host) {
  const platform = await testPlatform({ jobTime: 0, linkLife: 600_000 });
  const folder = mkdtempSync(join(tmpdir(), "plan-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { platform, folder, dialect: await host(platform) };
}

describe.each(Object.entries(hosts))("the process of the %s", (_, host) => {
  it(
    "does nothing in a run that its preview has not shown, whatever changes; it finds all that was known, and leaves nothing to do",
    async () => {
      const { platform, folder, dialect } = await hostAndPlatform(host);
      const seen: Record<string, number> = {};
      let stacks = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(changeOf(["a", "b"]), { minLength: 3, maxLength: 6 }), async (drawn) => {
          const name = `${stacks++}-`;
          const destination = pathToFileURL(join(folder, name)).href;
          const stack = new ProtocolStack(dialect, name);
          const adopted = ["a", "b"].map((job) =>
            platform.jobs.add({ jobId: job + name, domain, status: "completed" }),
          );
          expect(adopted).toHaveLength(2);
          let change: Change = {};
          for (const { linkIsShort, fails, site, ...changed } of [
            { linkIsShort: false, fails: false },
            ...drawn,
          ] as (Change & Circumstances)[]) {
            const own = site?.jobId === undefined ? site : { ...site, jobId: site.jobId + name };
            change = { ...change, ...changed, ...(own && { site: own }) };
            platform.linkLife = linkIsShort ? shortLife : 600_000;
            if (fails) {
              platform.inject({ operation: "getExport", kind: "body", body: { status: "failed" } });
            }
            const run = await approve(stack, programOf(destination, change), platform);
            platform.clearFaults();
            for (const operation of [...Object.values(operationsOf(run)), run.error === undefined ? "good" : "error"]) {
              seen[operation] = (seen[operation] ?? 0) + 1;
            }
            if (linkIsShort) {
              await sleep(shortLife);
            } else if (run.error === undefined) {
              expect(operationsOf(await stack.preview(programOf(destination, change)))).toEqual({});
            }
          }
        }),
        { numRuns: campaign ? 1_000 : 5, seed: campaignSeed(), endOnFailure: true },
      );
      // Every kind of step was drawn.
      expect(Object.keys(seen).sort()).toEqual(["create", "error", "good", "replace", "update"]);
    },
    campaign ? 600_000 : 120_000,
  );
});
