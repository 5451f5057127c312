import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import {
  choicesOf,
  type DrawnResource,
  type Draws,
  drawAll,
  drawSome,
  hclAround,
  hclOf,
} from "../../support/terraform/draw";
import { engines } from "../../support/terraform/engines";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const draws = campaign ? 60 : 5;
const resources = 8;

/** Longer than a link's life, in milliseconds. */
const someTime = 20 * 60_000;

afterEach(() => vi.restoreAllMocks());

interface Shape {
  hcl: string;
  /** The index of each instance in its address, such as `[0]`. */
  keys: readonly string[];
}

const shapes: readonly [Shape, ...Shape[]] = [
  { hcl: "", keys: [""] },
  { hcl: "  count = 1\n", keys: ["[0]"] },
  { hcl: '  for_each = toset(["a"])\n', keys: ['["a"]'] },
  { hcl: "  count = 2\n", keys: ["[0]", "[1]"] },
  { hcl: '  for_each = toset(["a", "b"])\n', keys: ['["a"]', '["b"]'] },
];
/** Two mirrors cannot have the same destination, so a mirror has only one instance. */
const single = shapes.filter(({ keys }) => keys.length === 1) as [Shape, ...Shape[]];

interface Place {
  readonly number: number;
  readonly draws: Draws;
  drawn: DrawnResource;
  name: string;
  /** The indexes of the instances in the state. */
  there: readonly string[];
}

interface Declared {
  address: string;
  keys: readonly string[];
  hcl: string;
  blocks: readonly string[];
  isImported: boolean;
  /** The address of the imported resource, if the plan must keep the resource. */
  wanted: string | undefined;
  /** True if the state has either no instance of the resource, or exactly the declared instances. */
  isSettled: boolean;
}

const imported = "docsplatform_static_export";
/** Generates a resource for one place, or only the blocks that remove the place's resource. */
function declare(random: Random, place: Place, jobId: string): Declared | { blocks: string[] } {
  const { drawn, there } = place;
  const isMirror = drawn.type.endsWith("mirror");
  const before = `${drawn.type}.${place.name}`;
  if (random.next() < 0.08) {
    // A forgotten mirror keeps its destination, so no other mirror could use this destination.
    const isForgotten = there.length > 0 && !isMirror && random.next() < 0.5;
    return {
      blocks: isForgotten ? [`removed {\n  from = ${before}\n  lifecycle {\n    destroy = false\n  }\n}\n`] : [],
    };
  }
  const isMoved = there.length > 0 && (isMirror || random.next() < 0.7);
  if (random.next() < 0.2 && (isMoved || there.length === 0)) {
    place.name = `r${place.number}_${random.whole(1, 1_000)}`;
  }
  const address = `${drawn.type}.${place.name}`;
  const isSame = address === before && random.next() < 0.6;
  const same = shapes.find(({ keys }) => keys.join() === there.join());
  const { hcl: instances, keys } = isSame && same ? same : random.pick(isMirror ? single : shapes);
  const isImported = there.length === 0 && drawn.type === imported && random.next() < 0.5;
  const moves = there.flatMap((key, index) => {
    const [from, to] = [`${before}${key}`, `${address}${keys[index]}`];
    return isMoved && keys[index] !== undefined && from !== to
      ? [`moved {\n  from = ${from}\n  to   = ${to}\n}\n`]
      : [];
  });
  const imports = isImported ? [`import {\n  to = ${address}${keys[0]}\n  id = "${jobId}"\n}\n`] : [];
  const names = Object.keys(drawn.choices) as [string, ...string[]];
  const ignored = random.pick([[], [], [random.pick(names)]]);
  const ignore = ignored.length > 0 ? `    ignore_changes        = [${ignored.join(", ")}]\n` : "";
  // With create-before-destroy, two mirrors could have the same destination and different layouts, which is an error.
  const createFirst = !isMirror && random.pick([true, false]);
  const lifecycle = `  lifecycle {\n    create_before_destroy = ${createFirst}\n${ignore}  }\n`;
  const hcl = hclOf(drawn, place.name, `${instances}${lifecycle}`);
  // The plan may replace the imported resource if its job id is given, or if a value is not known yet.
  const isWanted = isImported && drawn.choices.job_id === null && !hcl.includes("later[");
  const wanted = isWanted ? `${address}${keys[0]}` : undefined;
  const isSettled = there.length === 0 || (address === before && keys.join() === there.join());
  return { address, keys, hcl, blocks: [...moves, ...imports], isImported, wanted, isSettled };
}

describe.skipIf(!requireTool("terraform")).each(engines)("drawn configurations on %s", (engine, command) => {
  it(
    "are applied as they were planned, whatever their values, flags and blocks are; after it nothing is left to do",
    async () => {
      const seed = campaignSeed();
      const random = seededRandom(seed);
      const agents = { agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 0 };
      const platform = await terraformPlatform({ jobTime: 0, ...agents });
      const jobs = [0, 1].map(() => platform.jobs.add({ domain: "docs.example.com" }).jobId) as [string, string];
      const stack = await TerraformStack.reattached(platform, "", await command());
      process.env.DOCS_PLATFORM_PROJECT_ID = "docs";
      const now = Date.now;
      let ahead = 0;
      const seen = new Set<string>();
      vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
      const counts = { moved: 0, removed: 0, import: 0, instances: 0 };
      const places = Array.from({ length: resources }, (_, number): Place => {
        const all = Object.entries(choicesOf(jobs, join(stack.folder, `${number}`)));
        const [type, drawable] = all[number % all.length] as [string, Draws];
        return { number, draws: drawable, drawn: drawAll(random, type, drawable), name: `r${number}`, there: [] };
      });
      for (let count = 0; count < draws; count++) {
        const written = places.map((place) => declare(random, place, jobs[0]));
        const declared = written.filter((each) => "hcl" in each);
        const others = written.flatMap(({ blocks }) => blocks);
        for (const [kind = ""] of others.map((block) => block.split(" "))) {
          counts[kind as "moved" | "removed" | "import"]++;
        }
        counts.instances += declared.reduce((sum, { keys }) => sum + keys.length, 0);
        const blocks = [...declared.map(({ hcl }) => hcl), ...others].join("");
        stack.write(hclAround(blocks, seen, random.whole(0, 1)));
        const one = random.pick(declared as [Declared, ...Declared[]]);
        const address = `${one.address}${random.pick(one.keys as [string, ...string[]])}`;
        // Terraform does not move a resource that is not a target.
        const isSettled = others.length === 0 && declared.every((each) => each.isSettled);
        const target = isSettled ? [`-target=${address}`] : [];
        const refreshOnly = others.length === 0 ? ["-refresh-only"] : [];
        const flags = random.pick([[], [], [`-replace=${address}`], ["-refresh=false"], target, refreshOnly]);
        const about = () => `draw ${count} of seed ${seed}: ${flags}\n${blocks}`;
        ahead += random.pick([0, 0, someTime]);
        const begun = () => platform.starts + platform.counts.sendMessage;
        const begunBefore = begun();
        const saved = join(stack.folder, "saved");
        const plan = await stack.plan(`-out=${saved}`, ...flags);
        expect(plan.code, `${about()}${plan.output}`).toBeOneOf([0, 2]);
        // An import reads the job, also in a plan.
        const looks = declared.some(({ isImported }) => isImported) ? plan.requests : [];
        expect(plan.requests, about()).toEqual(looks.filter((request) => request.startsWith("GET ")));
        for (const { wanted } of declared) {
          expect(wanted === undefined ? "" : plan.output, about()).not.toContain(`# ${wanted} must be replaced`);
        }
        const passes = random.pick([0, 0, someTime]);
        ahead += passes;
        const run = await stack.run("apply", saved);
        expect(run.code, `${about()}${plan.output}${run.output}`).toBe(0);
        const [, added = 0] = /Plan: .*?(\d+) to add/.exec(plan.output) ?? [];
        expect(begun() - begunBefore, `${about()}${plan.output}`).toBeLessThanOrEqual(Number(added));
        if (passes === 0 && flags.length === 0) {
          const again = await stack.plan();
          expect(again, `${about()}${again.output}`).toMatchObject({ code: 0, requests: [] });
        }
        for (const place of places) {
          place.there = stack.keysOf(`${place.drawn.type}.${place.name}`);
          place.drawn = random.next() < 0.5 ? drawSome(random, place.drawn, place.draws) : place.drawn;
        }
      }
      if (campaign) {
        noteLines([`drawn on ${engine}: ${draws} configurations, ${JSON.stringify(counts)}`]);
      }
    },
    draws * 60_000,
  );
});
