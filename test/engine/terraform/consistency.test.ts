import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

/**
 * The number of configurations of one test, and of sites in one configuration. Each site changes by itself, and one
 * apply covers all.
 */
const draws = campaign ? 200 : 3;
const sites = 6;

/** Longer than a link's life, so that every link falls due; milliseconds. */
const someTime = 20 * 60_000;

/** The drawn arguments of one site, as HCL, by their names. Null leaves an argument out. */
interface Drawn {
  domain: string;
  triggers: string | null;
  wait: string | null;
  version: string | null;
  renewBefore: string | null;
  verify: string | null;
  layout: string | null;
  publicUrl: string | null;
}

const triggers = [
  null,
  '"text"',
  "1",
  "1.5",
  "true",
  '["a", 1, null]',
  'tolist(["a"])',
  'toset(["b", "a"])',
  "{}",
  '{ a = { b = [null, "ü"] }, c = 1e3 }',
  'tomap({ a = "1" })',
] as const;

function draw(random: Random, number: number): Drawn {
  return {
    domain: `"docs${number}${random.pick(["", "x"])}.example.com"`,
    triggers: random.pick(triggers),
    wait: random.pick([null, '"10m"', '"1h"']),
    version: random.pick([null, '"pinned"']),
    renewBefore: random.pick([null, '"1m"', '"0s"']),
    verify: random.pick([null, "false", "true"]),
    layout: random.pick([null, '"archive"', '"site"']),
    publicUrl: random.pick([null, '"https://cdn.example.com/docs"']),
  };
}

/** Draws one or two of the arguments again. */
function change(random: Random, drawn: Drawn, number: number): Drawn {
  const other = draw(random, number);
  const names = Object.keys(drawn) as [keyof Drawn, ...(keyof Drawn)[]];
  const changed = [random.pick(names), random.pick(names)];
  return { ...drawn, ...Object.fromEntries(changed.map((name) => [name, other[name]])) };
}

function hcl(drawn: Drawn, number: number, inOrder: boolean): string {
  const lines = (values: Record<string, string | null>) =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `  ${name} = ${value}\n`)
      .join("");
  const { domain, triggers: triggered, wait, version, renewBefore, verify, layout, publicUrl } = drawn;
  const lifecycle = inOrder ? "  lifecycle {\n    create_before_destroy = true\n  }\n" : "";
  const job_id = `docsplatform_static_export.site${number}.job_id`;
  const destination = `"file://\${abspath("copies/${number}")}"`;
  return `resource "docsplatform_static_export" "site${number}" {
${lines({ domain, triggers: triggered, wait_timeout: wait })}${lifecycle}}
resource "docsplatform_export_bundle" "bundle${number}" {
${lines({ job_id, version, renew_before: renewBefore, verify_link: verify })}}
resource "docsplatform_bundle_mirror" "mirror${number}" {
${lines({ job_id, destination, layout, public_url: publicUrl })}}
`;
}

describe.skipIf(!requireTool("terraform"))("a plan on Terraform", () => {
  it(
    "is what the apply does, whatever changes, also where links fall due in between; after it nothing is left to do",
    async () => {
      const seed = campaignSeed();
      const random = seededRandom(seed);
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.create(platform, "");
      const saved = join(stack.folder, "saved");
      let ahead = 0;
      const pass = (time: number) => {
        ahead += time;
        platform.clockOffset = ahead;
        stack.setClockAhead(ahead);
      };
      let drawn = Array.from({ length: sites }, (_, number) => draw(random, number));
      let applied: Drawn[] = [];
      for (let count = 0; count < draws; count++) {
        stack.write(drawn.map((each, number) => hcl(each, number, random.pick([true, false]))).join(""));
        const starts = platform.starts;
        const plan = await stack.plan(`-out=${saved}`);
        const about = `draw ${count} of seed ${seed}\n${plan.output}`;
        expect(plan, about).toMatchObject({ code: expect.toBeOneOf([0, 2]), requests: [] });
        pass(random.pick([0, someTime]));
        const run = await stack.run("apply", saved);
        expect(run.code, `${about}\n${run.output}`).toBe(0);
        const asked = drawn.filter((each, number) => {
          const before = applied[number];
          return before === undefined || before.domain !== each.domain || before.triggers !== each.triggers;
        });
        expect(platform.starts - starts, about).toBeLessThanOrEqual(asked.length);
        applied = drawn;
        drawn = drawn.map((each, number) => change(random, each, number));
        pass(random.pick([0, 0, someTime]));
      }
      pass(someTime);
      expect((await stack.apply()).code).toBe(0);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    },
    draws * 30_000,
  );
});
