import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTerraformService } from "../../../provider/hosts/terraform/service";
import type { Platform } from "../../../simulator/index";
import { campaign } from "../../support/campaign";
import { startPlatform } from "../../support/compiledPlatform";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import type { Changed, ConfiguredResource } from "../../support/terraform/change";
import { actions, Core, type Flags, nothingTold, undisturbed } from "../../support/terraform/core";
import type { Value } from "../../support/terraform/cty";
import { blocksOf, choicesOf, type Drawn, drawAll, drawSome } from "../../support/terraform/draw";

/** The number of drawn resources. Each has several runs of changes. */
const cases = campaign ? 3_000 : 40;
const runs = 4;

const folder = mkdtempSync(join(tmpdir(), "terraform-drawn-"));
let platform: Platform;
/** Completed jobs, which resources adopt, link to and mirror. */
let jobs: [string, string];

beforeAll(async () => {
  // The log of the provider, which Terraform shows only on request.
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  platform = await startPlatform({
    queueTime: 0,
    jobTime: 0,
    agentTime: 0,
    agentJobs: [{ projectId: "docs", id: "job" }],
  });
  jobs = [0, 1].map(() => platform.jobs.add({ domain: "docs.example.com" }).jobId) as typeof jobs;
  Object.assign(process.env, {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    DOCS_PLATFORM_PROJECT_ID: "docs",
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The requests of some work that begin something or mint a link, and the jobs of those requests. */
async function counted<T>(work: () => Promise<T>): Promise<{ result: T; begun: number; sent: number; jobs: string[] }> {
  const [starts, messages, first] = [platform.starts, platform.counts.sendMessage, platform.requests.length];
  const result = await work();
  const requests = platform.requests.slice(first);
  return {
    result,
    begun: platform.starts - starts + platform.counts.sendMessage - messages,
    sent: requests.filter(({ operation }) => operation !== "download").length,
    jobs: requests.flatMap(({ path }) => /\/jobs\/([^/]+)/.exec(path)?.[1] ?? []),
  };
}

/** The cheapest kind comes most often. */
const types: readonly [string, ...string[]] = [
  "docsplatform_bundle_mirror",
  ...Array<string>(4).fill("docsplatform_static_export"),
  ...Array<string>(4).fill("docsplatform_export_bundle"),
  ...Array<string>(4).fill("docsplatform_agent_message"),
];

const beginners = ["docsplatform_static_export", "docsplatform_agent_message"];

const address = "the.one";

/** One run: a plan, and its apply. */
interface Run {
  /** Undefined if the configuration has no such resource. Then it is destroyed. */
  declared: ConfiguredResource | undefined;
  flags: Flags;
}

interface Ended {
  action: Changed;
  faults: readonly string[];
  errors: readonly string[];
}

async function runOnce(core: Core, { declared, flags }: Run): Promise<Ended> {
  const told = nothingTold();
  const terraform = undisturbed(createTerraformService);
  const plan = await core.plan(declared === undefined ? {} : { [address]: declared }, terraform, told, flags);
  await core.apply(plan, terraform, told);
  const { faults, errors } = told;
  return { action: actions(plan)[address] ?? "none", faults, errors: errors.map(({ text }) => text) };
}

/**
 * The number of starts and messages that a run has to send if nothing goes wrong: one for each new resource that adopts
 * nothing.
 */
function expectedBeginnings({ action }: Ended, { declared }: Run): number {
  const { type = "", config = {} } = declared ?? {};
  const isNew = action === "create" || action === "replace";
  return isNew && beginners.includes(type) && !(type.endsWith("export") && (config.job_id?.content ?? null) !== null)
    ? 1
    : 0;
}

/**
 * Takes one resource through several runs.
 * @returns the broken rules.
 */
async function story(random: Random, number: number): Promise<string[]> {
  process.env.DOCS_PLATFORM_JOURNAL = join(folder, `journal${number}`);
  const all = choicesOf(jobs, join(folder, `copies${number}`));
  const type = random.pick(types);
  const draws = all[type] ?? {};
  const core = new Core();
  let drawn = drawAll(random, type, draws);
  const broken: string[] = [];
  for (let count = 0; count < runs && broken.length === 0; count++) {
    const run = drawRun(random, core, drawn);
    const tell = (faults: readonly string[]) => {
      broken.push(
        ...faults.map((fault) => `case ${number}, run ${count} of ${type}: ${fault}\n  ${describeRun(run, drawn)}`),
      );
    };
    const before = core.saved(address);
    const { result, begun, jobs: asked } = await counted(() => runOnce(core, run));
    tell(result.faults);
    if (result.errors.length > 0) {
      // Terraform tells a new mirror nothing about the old one that is deleted after it.
      const isOwn = run.declared?.createFirst && result.errors.every((error) => error.startsWith("DOCS_DESTINATION"));
      if (!isOwn) {
        tell(result.errors);
      }
      break;
    }
    const expected = expectedBeginnings(result, run);
    if (begun !== expected) {
      tell([`${begun} were begun, and not ${expected} (${result.action})`]);
    }
    const after = core.saved(address);
    if (after !== undefined) {
      tell(ignoredFaults(run, before?.block, before?.tainted, result, after.block));
    }
    const about = after?.block.job_id?.content;
    const others = about === undefined ? [] : asked.filter((job) => job !== about);
    if (type !== "docsplatform_agent_message" && others.length > 0 && run.declared !== undefined) {
      tell([`requests about ${others[0]}, while the resource is about ${String(about)}`]);
    }
    if (broken.length > 0) {
      break;
    }
    const { replace: _, ...flags } = run.flags;
    const same = run.declared && { ...run.declared, early: {} };
    const again = await counted(() => runOnce(core, { declared: same, flags }));
    if (again.result.action !== "none" || again.sent > 0) {
      tell([`the same again: ${again.result.action}, ${again.sent} requests`]);
    }
    tell(again.result.faults);
    drawn = drawSome(random, drawn, draws);
  }
  return broken;
}

function drawRun(random: Random, core: Core, drawn: Drawn): Run {
  const isThere = core.saved(address) !== undefined;
  if (isThere && random.next() < 0.1) {
    core.taint(address);
  }
  const isDestroyed = isThere && random.next() < 0.05;
  const names = Object.keys(drawn.choices) as [string, ...string[]];
  const { config, early } = blocksOf(drawn);
  const ignore = random.pick([[], [], [random.pick(names)], [random.pick(names), random.pick(names)], "all" as const]);
  const createFirst = random.pick([true, false]);
  return {
    declared: isDestroyed ? undefined : { type: drawn.type, config, early, ignore, createFirst },
    flags: {
      ...(isThere && random.next() < 0.15 && { replace: [address] }),
      ...(random.next() < 0.3 && { refresh: false as const }),
    },
  };
}

/** An ignored argument keeps its value, unless the resource is new. */
function ignoredFaults(
  { declared }: Run,
  before: Readonly<Record<string, Value>> | undefined,
  wasTainted: boolean | undefined,
  { action }: Ended,
  after: Readonly<Record<string, Value>>,
): string[] {
  const { ignore = [] } = declared ?? {};
  if (before === undefined || wasTainted || action === "replace" || ignore === "all") {
    return [];
  }
  return ignore
    .filter((name) => JSON.stringify(before[name]?.content) !== JSON.stringify(after[name]?.content))
    .map((name) => `${name} is ignored, and has changed`);
}

function describeRun(run: Run, drawn: Drawn): string {
  const values = Object.entries(drawn.choices).map(([name, { hcl }]) => `${name} = ${hcl}`);
  const { ignore, createFirst, early = {} } = run.declared ?? {};
  return `${values.join(", ")} ${JSON.stringify({ ...run.flags, ignore, createFirst, early: Object.keys(early) })}`;
}

describe("the host of Terraform, driven as core does it", () => {
  it(
    `keeps every rule of core and every counted promise in ${cases} drawn lives of a resource`,
    async () => {
      const seed = campaignSeed();
      const random = seededRandom(seed);
      const broken: string[] = [];
      for (let count = 0; count < cases; count++) {
        broken.push(...(await story(random, count)));
      }
      expect(broken, `seed ${seed}`).toEqual([]);
    },
    cases * 10_000,
  );
});
