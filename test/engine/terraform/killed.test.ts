import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { engines } from "../../support/terraform/engines";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

/** The number of lives of one test. */
const lives = campaign ? 25 : 1;
/** The number of runs that may be ended before the configuration changes, and the number of its changes. */
const [runs, wishes] = [2, 2];

const exports = "docsplatform_static_export";
const messages = "docsplatform_agent_message";

const endings = ["kills Terraform", "kills the provider", "Ctrl-C", "Ctrl-C twice", "nothing"] as const;
type Ending = (typeof endings)[number];

/** A person's notes, by the names of the resources. */
interface Written {
  triggers: Map<string, string>;
  /** The job that an export is told to use. */
  adopts: Map<string, string>;
  prompts: Map<string, string>;
  createFirst: boolean;
  hasLink: boolean;
  layout: "archive" | "site" | undefined;
}

function write(random: Random): Written {
  const areEqual = random.next() < 0.5;
  const names = Array.from({ length: random.whole(1, 4) }, (_, index) => `e${index}`);
  return {
    triggers: new Map(names.map((name) => [name, areEqual ? "equal" : name])),
    adopts: new Map(),
    prompts: new Map(random.next() < 0.5 ? [["m0", "Fix the links."]] : []),
    createFirst: random.pick([true, false]),
    hasLink: random.next() < 0.5,
    layout: random.pick([undefined, "archive", "site"]),
  };
}

function hclOf({ triggers, adopts, prompts, createFirst, hasLink, layout }: Written): string {
  const block = (type: string, name: string, values: Record<string, string | undefined>) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const lines = given.map(([key, value]) => `  ${key} = ${value}\n`).join("");
    return `resource "${type}" "${name}" {\n${lines}  lifecycle {\n    create_before_destroy = ${createFirst}\n  }\n}\n`;
  };
  const text = (value: string | undefined) => value && JSON.stringify(value);
  const domain = text("docs.example.com");
  const job_id = `${exports}.e0.job_id`;
  const destination = `"file://\${abspath("copy")}"`;
  return [
    'provider "docsplatform" {\n  project_id = "docs"\n}\n',
    ...[...triggers].map(([name, each]) =>
      block(exports, name, { domain, triggers: text(each), job_id: text(adopts.get(name)) }),
    ),
    ...[...prompts].map(([name, prompt]) => block(messages, name, { job_id: text("job"), prompt: text(prompt) })),
    hasLink ? block("docsplatform_export_bundle", "link", { job_id }) : "",
    layout ? block("docsplatform_bundle_mirror", "copy", { job_id, destination, layout: text(layout) }) : "",
  ].join("");
}

/** A person with one folder, at one platform. */
class Life {
  readonly written: Written;
  /** The output of all runs, with each text on one line. */
  output = "";
  #startsAsked: number;
  #messagesAsked: number;
  #notStarted: string[] = [];
  /** The jobs that a run had done, by the journal, and had not saved before it was killed. */
  readonly #unsaved = new Set<string>();
  readonly #random: Random;
  readonly #stack: TerraformStack;
  readonly #platform: Platform;

  constructor(random: Random, stack: TerraformStack, platform: Platform) {
    this.#random = random;
    this.#stack = stack;
    this.#platform = platform;
    this.written = write(random);
    this.#startsAsked = this.written.triggers.size;
    this.#messagesAsked = this.written.prompts.size;
  }

  /** An apply that is ended at some request, or shortly after it. */
  async run(ending: Ending): Promise<number | null> {
    const [random, stack, platform] = [this.#random, this.#stack, this.#platform];
    stack.write(hclOf(this.written));
    stack.environment.DOCS_PLATFORM_NOT_STARTED = this.#notStarted.join();
    this.#notStarted = [];
    const first = platform.requests.length;
    const moment = random.whole(1, 3 + 3 * this.written.triggers.size);
    const after = random.pick([0, 0, 5, 40]);
    const run = stack.start("apply", "-auto-approve", "-parallelism=4");
    let isOver = false;
    const ended = run.ended.finally(() => {
      isOver = true;
    });
    while (ending !== "nothing" && !isOver && platform.requests.length - first < moment) {
      await rest(2);
    }
    if (ending !== "nothing" && !isOver) {
      await rest(after);
      this.#end(ending, run);
    }
    const { code, output } = await ended;
    for (let left = 400; stack.providers().length > 0; left--) {
      expect(left, "a provider stays where its Terraform has ended").toBeGreaterThan(0);
      await rest(50);
    }
    const told = output.replace(/\n[│ ]*/g, " ");
    this.output += told;
    for (const [, id = ""] of this.#known().matchAll(/"id":"([^"]+)"[^{}]*"handedOver":true/g)) {
      if (!this.#saved().includes(id)) {
        this.#unsaved.add(id);
      }
    }
    this.#heed(told);
    return code;
  }

  #end(ending: Ending, run: { pid: number; interrupt(): void }): void {
    const isTerraforms = ending === "kills Terraform";
    const killed = isTerraforms ? [run.pid] : ending === "kills the provider" ? this.#stack.providers() : [];
    const interrupts = ending === "Ctrl-C twice" ? 2 : ending === "Ctrl-C" ? 1 : 0;
    try {
      for (const pid of killed) {
        process.kill(pid, "SIGKILL");
      }
      for (let left = interrupts; left > 0; left--) {
        run.interrupt();
      }
    } catch (error) {
      // The process has ended by itself meanwhile.
      expect(error).toMatchObject({ code: "ESRCH" });
    }
  }

  /** Follows the errors about lost answers: adopts a job that no state has, or says that nothing was started. */
  #heed(told: string): void {
    // A job that the output of a run names belongs to another resource. It may have left the state since.
    const known = `${this.#known()}${this.output}`;
    const lost = this.#platform.jobs.list().filter(({ jobId }) => !known.includes(jobId));
    for (const [error] of told.matchAll(/Error: DOCS_AMBIGUOUS_START.*?(?=Error: |$)/g)) {
      const [, name] = /with docsplatform_static_export\.(\w+),/.exec(error) ?? [];
      const [, codes] = /DOCS_PLATFORM_NOT_STARTED=([0-9a-f,]+)/.exec(error) ?? [];
      const job = name === undefined || codes === undefined ? undefined : lost.shift();
      if (name !== undefined && job !== undefined) {
        this.written.adopts.set(name, job.jobId);
      } else if (name !== undefined && codes !== undefined) {
        this.#notStarted.push(codes);
      }
    }
    // No mirror of that job exists: the run that has made it was killed.
    if (told.includes("Error: DOCS_DESTINATION: another mirror has put the bundle of job")) {
      rmSync(join(this.#stack.folder, "copy"), { recursive: true });
    }
  }

  /** All that the state and the journal have. */
  #known(): string {
    const journal = join(this.#stack.folder, "journal");
    const entries = existsSync(journal) ? readdirSync(journal, { recursive: true, withFileTypes: true }) : [];
    // A killed process leaves files under other names, which no run reads.
    const isEntry = (entry: (typeof entries)[number]) => entry.isFile() && entry.name.endsWith(".json");
    const files = entries.filter(isEntry).map(({ parentPath, name }) => join(parentPath, name));
    return [this.#saved(), ...files.map((file) => readFileSync(file, "utf8"))].join();
  }

  #saved(): string {
    const { stateFile } = this.#stack;
    return existsSync(stateFile) ? readFileSync(stateFile, "utf8") : "";
  }

  /** Another one is begun in place of each. */
  #countUnsaved(kind: string): number {
    return [...this.#unsaved].filter((id) => id.startsWith(kind)).length;
  }

  /** Quiet runs, until one is green: nothing is left to do then, and each rule is kept. */
  async settle(): Promise<void> {
    const [stack, platform, { triggers, hasLink, layout }] = [this.#stack, this.#platform, this.written];
    for (let run = 0; (await this.run("nothing")) !== 0; run++) {
      expect(run, "quiet runs, of which none is green").toBeLessThan(4);
    }
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    const states = [...triggers.keys()].map((name) => stack.state(`${exports}.${name}`));
    const ids = states.map((state) => String(state?.attributes.job_id));
    expect(states).toMatchObject(ids.map(() => ({ tainted: false, attributes: { status: "completed" } })));
    expect(new Set(ids).size, "exports with a job of their own").toBe(ids.length);
    expect(platform.starts, "starts").toBeLessThanOrEqual(this.#startsAsked + this.#countUnsaved("sej_"));
    const messagesAllowed = this.#messagesAsked + this.#countUnsaved("job/");
    expect(platform.counts.sendMessage, "messages").toBeLessThanOrEqual(messagesAllowed);
    const known = `${this.#known()}${this.output}`;
    const lost = platform.jobs.list().filter(({ jobId }) => !known.includes(jobId));
    expect(lost, "jobs in no state, in no journal, and in no text").toEqual([]);
    const about = (address: string) => stack.state(address)?.attributes.version;
    expect(about("docsplatform_export_bundle.link")).toBe(hasLink ? ids[0] : undefined);
    expect(about("docsplatform_bundle_mirror.copy")).toBe(layout && ids[0]);
  }

  /** Something else is wanted of one of them. */
  change(number: number): void {
    const { triggers, adopts, prompts } = this.written;
    const name = this.#random.pick([...triggers.keys()] as [string, ...string[]]);
    if (prompts.size > 0 && this.#random.next() < 0.3) {
      prompts.set("m0", `Another prompt, ${number}.`);
      this.#messagesAsked++;
    } else {
      adopts.delete(name);
      triggers.set(name, `changed ${number}`);
      this.#startsAsked++;
    }
  }
}

describe.skipIf(!requireTool("terraform")).each(engines)(
  "runs that are ended at any moment, on %s,",
  (engine, command) => {
    it(
      `lose no job, begin none twice, and settle, in ${lives} drawn lives`,
      async () => {
        const seed = campaignSeed();
        let count = 0;
        const agents = { agentTime: 100, agentJobs: [{ projectId: "docs", id: "job" }] };
        for (let life = 0; life < lives; life++) {
          const random = seededRandom(seed + life);
          const platform = await terraformPlatform({ jobTime: 200, ...agents });
          const stack = await TerraformStack.create(platform, "", await command());
          const drawn = new Life(random, stack, platform);
          const told: string[] = [];
          try {
            for (let wish = 0; wish < wishes; wish++) {
              if (wish > 0) {
                drawn.change(wish);
              }
              for (let run = 0; run < runs; run++) {
                const ending = random.pick(endings);
                told.push(`${ending} (exit ${await drawn.run(ending)})`);
                count++;
              }
              await drawn.settle();
              told.push("settled");
            }
          } catch (error) {
            const about = `life ${life} of seed ${seed}: ${told.join(", ")}\n${hclOf(drawn.written)}\n${drawn.output.slice(-8_000)}`;
            throw new Error(about, { cause: error });
          }
          await platform.close();
        }
        if (campaign) {
          noteLines([`ended at any moment on ${engine}: ${count} runs of ${lives} lives`]);
        }
      },
      lives * 240_000,
    );
  },
);
