import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTerraformService } from "../../../provider/hosts/terraform/service";
import { TerraformSession } from "../../../provider/hosts/terraform/terraformSession";
import type { Platform } from "../../../simulator/index";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import {
  type Blocks,
  type Configuration,
  Core,
  type Flags,
  nothingTold,
  undisturbed,
} from "../../support/terraform/core";
import {
  blocksOf,
  type Choice,
  choicesOf,
  type Drawn,
  type Draws,
  drawAll,
  drawSome,
  hclAround,
  hclOf,
} from "../../support/terraform/draw";
import { engines } from "../../support/terraform/engines";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

/** The number of lives of one test, and of runs in each. */
const lives = campaign ? 40 : 3;
const runs = 5;

const type = "docsplatform_static_export";
const { job_id: _, ...all } = choicesOf(["job"], "/")[type] ?? {};
/** True if HCL can say this as well. */
const canBeSaid = ({ early, hcl }: Choice) => early === undefined || (hcl?.includes("later[") ?? false);
const entries = Object.entries(all).map(([name, [first, ...rest]]) => [name, [first, ...rest.filter(canBeSaid)]]);
const draws: Draws = Object.fromEntries(entries);

afterEach(() => vi.restoreAllMocks());

/** The declaration of one name, as a person has written it. */
interface Written {
  drawn: Drawn;
  createFirst: boolean;
  ignore: readonly string[];
  preventDestroy: boolean;
}

/** One run, as the model and Terraform both get it. */
interface Step {
  taint?: readonly [address: string, isTainted: boolean];
  flags: Flags;
  blocks: Blocks;
  /** The platform accepts the next start, and its answer is lost. */
  losesAnswer: boolean;
  /** A job that is started now fails. */
  fails: boolean;
}

/** The result of a run, which must be the same in the model and in Terraform. */
interface Outcome {
  isGreen: boolean;
  starts: number;
  errors: readonly string[];
  state: Readonly<Record<string, unknown>>;
}

/** The messages of the provider, and of Terraform and OpenTofu about protected resources. */
const errorPattern = /^(?:Error: )?(DOCS_\w+|(?:Resource i|I)nstance cannot be destroyed)/gm;
const codeOf = (found = "") => found.replace(/^Resource i/, "I");

class Life {
  readonly written = new Map<string, Written>();
  #names = 0;

  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    const first = this.#write(drawAll(random, type, draws));
    this.written.set(this.#newAddress(), first);
    // Some of them are equal to each other.
    if (random.next() < 0.6) {
      this.written.set(this.#newAddress(), random.pick([first, this.#write(drawAll(random, type, draws))]));
    }
  }

  get configuration(): Configuration {
    const entries = [...this.written].map(([address, { drawn, ...rest }]) => {
      const { config, early } = blocksOf(drawn);
      return [address, { type, config, early, ...rest }] as const;
    });
    return Object.fromEntries(entries);
  }

  hcl({ moved = {}, forgotten = [], imports = {} }: Blocks, seen: Set<string>, run: number): string {
    const resources = [...this.written].map(([address, { drawn, createFirst, ignore, preventDestroy }]) => {
      const ignored = ignore.length > 0 ? `    ignore_changes = [${ignore.join(", ")}]\n` : "";
      const flags = `    create_before_destroy = ${createFirst}\n    prevent_destroy = ${preventDestroy}\n${ignored}`;
      return hclOf(drawn, address.split(".")[1] ?? "", `  lifecycle {\n${flags}  }\n`);
    });
    const others = [
      ...Object.entries(moved).map(([from, to]) => `moved {\n  from = ${from}\n  to = ${to}\n}\n`),
      ...forgotten.map((from) => `removed {\n  from = ${from}\n  lifecycle {\n    destroy = false\n  }\n}\n`),
      ...Object.entries(imports).map(([to, id]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`),
    ];
    return hclAround([...resources, ...others].join(""), seen, run);
  }

  /** Draws a change of the configuration, and a command. */
  next(there: readonly string[], importable: string): Step {
    const { written } = this;
    const random = this.#random;
    const address = random.pick([...written.keys()] as [string, ...string[]]);
    const { drawn, ...rest } = written.get(address) as Written;
    let blocks: Blocks = {};
    const chance = random.next();
    if (chance < 0.3) {
      written.set(address, { ...this.#write(drawSome(random, drawn, draws)), ...rest });
    } else if (chance < 0.4) {
      written.set(this.#newAddress(), this.#write(drawn));
    } else if (chance < 0.5 && written.size > 1) {
      written.delete(address);
      if (random.next() < 0.5 && there.includes(address)) {
        blocks = { forgotten: [address] };
      }
    } else if (chance < 0.6 && there.includes(address)) {
      const to = this.#newAddress();
      written.delete(address);
      written.set(to, { drawn, ...rest });
      blocks = { moved: { [address]: to } };
    } else if (chance < 0.67) {
      const to = this.#newAddress();
      written.set(to, { ...this.#write(drawn), ignore: [] });
      blocks = { imports: { [to]: importable } };
    }
    const of = [random.pick([...written.keys()] as [string, ...string[]])];
    const isMoved = blocks.moved !== undefined || blocks.imports !== undefined;
    const isThere = there.includes(of[0] ?? "");
    const choices: readonly [Flags, ...Flags[]] = [
      {},
      {},
      {},
      isThere ? { replace: of } : {},
      { refresh: false },
      { refresh: "only" },
    ];
    const flags = isMoved ? {} : random.pick([...choices, { target: of }, random.pick([{ destroys: true }, {}])]);
    const tainted = there.length > 0 && random.next() < 0.3 ? random.pick(there as [string, ...string[]]) : undefined;
    return {
      ...(tainted !== undefined && { taint: [tainted, random.next() < 0.8] as const }),
      flags,
      blocks,
      losesAnswer: written.size === 1 && random.next() < 0.15,
      fails: blocks.imports === undefined && random.next() < 0.1,
    };
  }

  #newAddress(): string {
    return `${type}.e${++this.#names}`;
  }

  #write(drawn: Drawn): Written {
    const random = this.#random;
    const names = Object.keys(draws) as [string, ...string[]];
    const ignore = random.pick([[], [], [random.pick(names)]]);
    return { drawn, createFirst: random.pick([true, false]), ignore, preventDestroy: random.next() < 0.05 };
  }
}

/** The model, with its own platform and journal. */
class Model {
  readonly core = new Core();

  readonly #platform: Platform;
  readonly #folder: string;
  readonly #journal: string;

  constructor(platform: Platform, folder: string, journal: string) {
    this.#platform = platform;
    this.#folder = folder;
    this.#journal = journal;
  }

  async run(configuration: Configuration, { taint, flags, blocks }: Step): Promise<Outcome> {
    if (taint !== undefined) {
      this.core.taint(...taint);
    }
    const environment = {
      DOCS_PLATFORM_API_KEY: this.#platform.apiKey,
      DOCS_PLATFORM_BASE_URL: this.#platform.baseUrl,
      DOCS_PLATFORM_JOURNAL: join(this.#folder, this.#journal),
    };
    const workplace = { environment, folder: this.#folder };
    const terraform = undisturbed(() => createTerraformService(new TerraformSession(undefined, workplace)));
    const told = nothingTold();
    const plan = await this.core.plan(configuration, terraform, told, flags, blocks);
    const isGreen = await this.core.apply(plan, terraform, told);
    expect(told.faults).toEqual([]);
    const entries = [...this.core.state].map(([address, { current, deposed }]) => {
      const status = current?.block.status?.content ?? undefined;
      return [address, { status, tainted: current?.tainted ?? false, deposed: deposed.length }] as const;
    });
    const errors = told.errors.flatMap(({ text }) =>
      [...text.matchAll(errorPattern)].slice(0, 1).map(([, code]) => code ?? ""),
    );
    return { isGreen, starts: this.#platform.starts, errors: errors.sort(), state: Object.fromEntries(entries.sort()) };
  }
}

/** The real Terraform. */
async function runReal(
  stack: TerraformStack,
  platform: Platform,
  hcl: string,
  { taint, flags }: Step,
): Promise<[Outcome, string]> {
  if (taint !== undefined) {
    await stack.run(taint[1] ? "taint" : "untaint", taint[0]);
  }
  stack.write(hcl);
  const options = [
    ...(flags.replace ?? []).map((address) => `-replace=${address}`),
    ...(flags.target ?? []).map((address) => `-target=${address}`),
    ...(flags.refresh === false ? ["-refresh=false"] : flags.refresh === "only" ? ["-refresh-only"] : []),
    ...(flags.destroys ? ["-destroy"] : []),
  ];
  const { code, output } = await stack.apply(...options);
  const errors = [...output.matchAll(/Error: (DOCS_\w+|(?:Resource i|I)nstance cannot be destroyed)/g)].map(
    ([, found]) => codeOf(found),
  );
  const entries = stack.addresses(type).map((address) => {
    const instances = stack.stateOf(address)?.instances ?? [];
    const current = instances.find(({ deposed }) => deposed === undefined);
    const status = current?.attributes.status;
    return [
      address,
      { status, tainted: current?.status === "tainted", deposed: instances.filter((one) => one !== current).length },
    ] as const;
  });
  return [
    { isGreen: code === 0, starts: platform.starts, errors: errors.sort(), state: Object.fromEntries(entries.sort()) },
    output,
  ];
}

describe.skipIf(!requireTool("terraform")).each(engines)("the model of Terraform's core and %s", (name, command) => {
  it(
    `come to the same in ${lives} drawn lives: the same starts, errors and states`,
    async () => {
      const seed = campaignSeed();
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      const real = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.reattached(real, "", await command());
      let compared = 0;
      for (let life = 0; life < lives; life++) {
        const random = seededRandom(seed + life);
        const platform = await terraformPlatform({ jobTime: 0 });
        const model = new Model(platform, stack.folder, `model${life}`);
        rmSync(stack.stateFile, { force: true });
        process.env.DOCS_PLATFORM_JOURNAL = join(stack.folder, `real${life}`);
        real.resetCounts();
        real.failJobs = undefined;
        const [theirs, ours] = [real, platform].map((each) => each.jobs.add({ domain: "docs.example.com" }).jobId);
        const drawn = new Life(random);
        const seen = new Set<string>();
        let step: Step = { flags: {}, blocks: {}, losesAnswer: false, fails: false };
        for (let run = 0; run < runs; run++) {
          for (const each of [real, platform]) {
            each.failJobs = step.fails ? "no" : undefined;
            if (step.losesAnswer) {
              each.inject({ operation: "startExport", kind: "lostAnswer" });
            }
          }
          const expected = await model.run(drawn.configuration, step);
          const [imported] = Object.keys(step.blocks.imports ?? {});
          const blocks = imported === undefined ? step.blocks : { imports: { [imported]: theirs ?? "" } };
          const [outcome, output] = await runReal(stack, real, drawn.hcl(blocks, seen, run), step);
          const hcl = drawn.hcl(blocks, seen, run);
          expect(
            outcome,
            `life ${life}, run ${run} of seed ${seed} ${JSON.stringify(step)}\n${hcl}\n${output}`,
          ).toEqual(expected);
          compared++;
          for (const each of [real, platform]) {
            each.clearFaults();
          }
          step = drawn.next(Object.keys(outcome.state), ours ?? "");
        }
        await platform.close();
      }
      if (campaign) {
        noteLines([`modelled on ${name}: ${compared} runs of ${lives} lives`]);
      }
    },
    lives * 120_000,
  );
});
