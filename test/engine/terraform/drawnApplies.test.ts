import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { campaign } from "../../support/campaign";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { choicesOf, type Drawn, drawAll, drawSome, hclAround, hclOf } from "../../support/terraform/draw";
import { engines } from "../../support/terraform/engines";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

/**
 * The number of configurations of one test, each with its plan and its apply, and of resources of each kind in one
 * configuration.
 */
const draws = campaign ? 60 : 5;
const resources = 8;

/** Longer than a link's life, so that every link falls due; milliseconds. */
const someTime = 20 * 60_000;

afterEach(() => vi.restoreAllMocks());

/** One resource of the configuration, with its flags. */
interface Declared {
  drawn: Drawn;
  createFirst: boolean;
  ignored: readonly string[];
  isCounted: boolean;
}

function declare(random: Random, drawn: Drawn): Declared {
  const names = Object.keys(drawn.choices) as [string, ...string[]];
  return {
    drawn,
    // A mirror of another layout needs the place of the old one.
    createFirst: !drawn.type.endsWith("mirror") && random.pick([true, false]),
    ignored: random.pick([[], [], [random.pick(names)]]),
    isCounted: random.pick([false, false, true]),
  };
}

function hclFor({ drawn, createFirst, ignored, isCounted }: Declared, number: number): string {
  const ignore = ignored.length > 0 ? `    ignore_changes        = [${ignored.join(", ")}]\n` : "";
  const lifecycle = `  lifecycle {\n    create_before_destroy = ${createFirst}\n${ignore}  }\n`;
  return hclOf(drawn, `r${number}`, `${isCounted ? "  count = 1\n" : ""}${lifecycle}`);
}

describe.skipIf(!requireTool("terraform")).each(engines)("drawn configurations on %s", (_, command) => {
  it(
    "are applied as they were planned, whatever their values and flags are; after it nothing is left to do",
    async () => {
      const seed = campaignSeed();
      const random = seededRandom(seed);
      const agents = { agentJobs: [{ projectId: "docs", id: "job" }], agentTime: 0 };
      const platform = await terraformPlatform({ jobTime: 0, ...agents });
      const jobs = [0, 1].map(() => platform.jobs.add({ domain: "docs.example.com" }).jobId) as [string, string];
      const stack = await TerraformStack.reattached(platform, "", await command());
      process.env.DOCS_PLATFORM_PROJECT_ID = "docs";
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      const now = Date.now;
      let ahead = 0;
      let earlier = "";
      const seen = new Set<string>();
      vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
      const all = Array.from({ length: resources }, (__, number) => choicesOf(jobs, join(stack.folder, `${number}`)));
      const types = Object.keys(all[0] ?? {});
      const typeOf = (number: number) => types[number % types.length] ?? "";
      const drawsOf = (number: number) => all[number]?.[typeOf(number)] ?? {};
      let drawn = all.map((__, number) => drawAll(random, typeOf(number), drawsOf(number)));
      for (let count = 0; count < draws; count++) {
        const declared = drawn.map((each) => declare(random, each)).filter(() => random.next() < 0.95);
        const blocks = declared.map((each) => hclFor(each, drawn.indexOf(each.drawn))).join("");
        stack.write(hclAround(blocks, seen, random.whole(0, 1)));
        const about = () => `draw ${count} of seed ${seed}\n${blocks}`;
        const one = random.pick(declared as [Declared, ...Declared[]]);
        const address = `${one.drawn.type}.r${drawn.indexOf(one.drawn)}${one.isCounted ? "[0]" : ""}`;
        const counted = declared.map(({ isCounted }) => isCounted).join();
        // With a target, a resource would not move to its new address.
        const target = counted === earlier ? [`-target=${address}`] : [];
        earlier = counted;
        const flags = random.pick([[], [], [`-replace=${address}`], ["-refresh=false"], target]);
        ahead += random.pick([0, 0, someTime]);
        const begun = () => platform.starts + platform.counts.sendMessage;
        const before = begun();
        const saved = join(stack.folder, "saved");
        const plan = await stack.plan(`-out=${saved}`, ...flags);
        expect(plan.code, `${about()}${plan.output}`).toBeOneOf([0, 2]);
        expect(plan.requests, about()).toEqual([]);
        const passes = random.pick([0, 0, someTime]);
        ahead += passes;
        const run = await stack.run("apply", saved);
        expect(run.code, `${about()}${plan.output}${run.output}`).toBe(0);
        const added = Number(/Plan: .*?(\d+) to add/.exec(plan.output)?.[1] ?? 0);
        expect(begun() - before, `${about()}${plan.output}`).toBeLessThanOrEqual(added);
        if (passes === 0 && flags.length === 0) {
          const again = await stack.plan();
          expect(again, `${about()}${again.output}`).toMatchObject({ code: 0, requests: [] });
        }
        drawn = drawn.map((each, number) => (random.next() < 0.5 ? drawSome(random, each, drawsOf(number)) : each));
      }
    },
    draws * 60_000,
  );
});
