import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { arbitraryChange, type Circumstances, type ProgramChange } from "../support/arbitraryChange";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { unknownValue, type Values } from "../support/protocol/messages";
import { hosts, type ProtocolHost } from "../support/protocol/protocolHosts";
import { type Declaration, type HostDialect, type Pass, ProtocolStack } from "../support/protocol/protocolStack";
import { campaignSeed } from "../support/random";
import { temporaryFolder } from "../support/temporaryFolder";

const domain = "docs.example.com";
/** Existing jobs that a program may adopt. */
const jobs = ["a", "b"];
/**
 * The life of a link in milliseconds. A preview and its run must see the same state, and the link must expire before
 * the next preview.
 */
const shortLife = 30;

function programOf(destination: string, { site, bundle, copy }: ProgramChange): Declaration[] {
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

/**
 * Asserts that each value known in the preview equals the value after the run. Skips names with `__`: the host writes
 * these values for itself.
 */
function expectKept(planned: Values, found: Values): void {
  const known = Object.entries(planned).filter(
    ([name, value]) => !name.startsWith("__") && !JSON.stringify(value).includes(unknownValue),
  );
  expect(found).toMatchObject(Object.fromEntries(known));
}

/** Previews a program and runs it. Asserts that the run does what the preview showed, unless an error ends the run. */
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

/** A provider process reads its settings only once, so all stacks of a host share one process. */
interface World {
  platform: Platform;
  dialect: HostDialect;
  folder: string;
}

async function worldOf(host: ProtocolHost): Promise<World> {
  const platform = await testPlatform({ jobTime: 0, linkLife: 600_000 });
  const folder = temporaryFolder();
  return { platform, folder, dialect: await host(platform) };
}

/** Makes changes to this stack, one after another. Returns the operations of all runs. */
async function live({ platform, dialect, folder }: World, name: string, drawn: (ProgramChange & Circumstances)[]) {
  const destination = pathToFileURL(join(folder, name)).href;
  const stack = new ProtocolStack(dialect, name);
  for (const job of jobs) {
    platform.jobs.add({ jobId: job + name, domain, status: "completed" });
  }
  const seen: string[] = [];
  let change: ProgramChange = {};
  for (const { linkIsShort, fails, site, ...changed } of [
    { linkIsShort: false, fails: false },
    ...drawn,
  ] as typeof drawn) {
    const own = site?.jobId === undefined ? site : { ...site, jobId: site.jobId + name };
    change = { ...change, ...changed, ...(own && { site: own }) };
    platform.linkLife = linkIsShort ? shortLife : 600_000;
    if (fails) {
      platform.inject({ operation: "getExport", kind: "body", body: { status: "failed" } });
    }
    const program = programOf(destination, change);
    const run = await approve(stack, program, platform);
    platform.clearFaults();
    seen.push(...Object.values(operationsOf(run)), run.error === undefined ? "good" : "error");
    if (linkIsShort) {
      await sleep(shortLife);
    } else if (run.error === undefined) {
      expect(operationsOf(await stack.preview(program))).toEqual({});
    }
  }
  return seen;
}

describe.each(Object.entries(hosts))("the process of the %s", (_, host) => {
  it(
    "does nothing in a run that its preview has not shown, whatever changes; it finds all that was known, and leaves nothing to do",
    async () => {
      const world = await worldOf(host);
      const seen = new Set<string>();
      let stacks = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(arbitraryChange(jobs), { minLength: 3, maxLength: 6 }), async (drawn) => {
          for (const what of await live(world, `${stacks++}-`, drawn)) {
            seen.add(what);
          }
        }),
        { numRuns: campaign ? 300 : 10, seed: campaignSeed(), endOnFailure: true },
      );
      expect([...seen].sort()).toEqual(["create", "error", "good", "replace", "update"]);
    },
    campaign ? 1_200_000 : 240_000,
  );
});
