import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import type { Act } from "../../explore/play";
import { type End, outerEnds } from "../../explore/pulumi";
import { addressOf, type TerraformCommand } from "../../explore/terraform";
import { playOnTerraform, type TerraformScene } from "../../explore/terraformPlay";
import { codesIn } from "../../explore/told";
import { campaign } from "../../support/campaign";
import { killAll } from "../../support/fixtures/kills";
import { drawEnd, holdAt, reached } from "../../support/heldMoment";
import { expectAsInModel } from "../../support/heldToModel";
import { s3OfFile } from "../../support/mirror/s3Server";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

/** An address at which nobody listens. */
const nowhere = "http://127.0.0.1:9";

const type = "docsplatform_static_export";
const s3 = s3OfFile();
let count = 0;

/**
 * Draws a few runs, most of which are ended or find no journal. Two undisturbed runs of each export follow. If there
 * are two equal exports, each run is about one of them: exports that go on at the same time share no moment.
 */
function drawActs(random: Random, isRemote: boolean): Act<TerraformCommand>[] {
  const equal = random.next() < 0.4 ? 2 : 1;
  const createFirst = random.next() < 0.5 ? { createFirst: true as const } : {};
  const about = (target: string) => ({ equal, ...createFirst, ...(equal > 1 && { target: [target] }) });
  const someone = () => addressOf(random.whole(1, equal));
  const kinds = ["apply", "apply", "replace", "taint", "untaint", "destroy", "unread", "read"] as const;
  const drawn = ["apply" as const, ...Array.from({ length: random.whole(1, 3) }, () => random.pick(kinds))];
  const ended = drawn.map((kind): Act<TerraformCommand> => {
    const of = someone();
    if (kind === "taint" || kind === "untaint") {
      return { command: { kind, of: [of] } };
    }
    const command: TerraformCommand = {
      kind: kind === "destroy" ? "destroy" : "apply",
      ...about(of),
      ...(kind === "replace" && { of: [of] }),
      ...(kind === "unread" && { refresh: false }),
      ...(kind === "read" && { refresh: "only" }),
    };
    const isJournalGone = isRemote && random.next() < 0.2;
    const end = !isJournalGone && random.next() < 0.7 ? drawEnd(random, outerEnds) : undefined;
    return { command, isJournalGone, end };
  });
  const addresses = Array.from({ length: equal }, (_, index) => addressOf(index + 1));
  const quiet = addresses.map((address): Act<TerraformCommand> => ({ command: { kind: "apply", ...about(address) } }));
  return [...ended, ...quiet, ...quiet];
}

function hclOf({ equal = 1, createFirst }: TerraformCommand): string {
  const resources = Array.from({ length: equal }, (_, index) => {
    const name = addressOf(index + 1).split(".")[1];
    const lifecycle = `  lifecycle {\n    create_before_destroy = ${createFirst ?? false}\n  }\n`;
    return `resource "${type}" "${name}" {\n  domain = "docs.example.com"\n${lifecycle}}\n`;
  });
  return resources.join("");
}

function commandLine({ kind, of = [], refresh, target = [] }: TerraformCommand): string[] {
  if (kind === "taint" || kind === "untaint") {
    return [kind, "-allow-missing", ...of];
  }
  return [
    kind,
    "-auto-approve",
    ...of.map((address) => `-replace=${address}`),
    ...target.map((address) => `-target=${address}`),
    ...(refresh === false ? ["-refresh=false"] : refresh === "only" ? ["-refresh-only"] : []),
  ];
}

async function end(how: End, stack: TerraformStack, running: ReturnType<TerraformStack["start"]>): Promise<void> {
  switch (how) {
    case "kill":
      killAll(stack);
      return;
    case "engine dies":
      process.kill(running.pid, "SIGKILL");
      return;
    case "Ctrl-C twice":
      running.interrupt();
      await sleep(200);
  }
  running.interrupt();
}

/** Performs the same acts on the real Terraform. */
async function playForReal(
  acts: readonly Act<TerraformCommand>[],
  expected: readonly TerraformScene[],
  stack: TerraformStack,
  platform: Platform,
): Promise<{ scenes: TerraformScene[]; printed: string[] }> {
  const scenes: TerraformScene[] = [];
  const printed: string[] = [];
  for (const [index, act] of acts.entries()) {
    const isEnded = expected[index]?.isEnded === true;
    const { command } = act;
    if (command.kind === "apply") {
      stack.write(hclOf(command));
    }
    const { DOCS_PLATFORM_JOURNAL: journal = "" } = stack.environment;
    if (act.isJournalGone) {
      const gone = `endpoint=${encodeURIComponent(nowhere)}`;
      stack.environment.DOCS_PLATFORM_JOURNAL = journal.replace(/endpoint=[^&]*/, gone);
    }
    let outcome: TerraformScene["outcome"];
    if (act.end !== undefined && isEnded) {
      holdAt(platform, act.end.at, act.end.how);
      const running = stack.start(...commandLine(command));
      await reached(platform, act.end.at, running.ended);
      await end(act.end.how, stack, running);
      printed.push((await running.ended).output);
      outcome = act.end.how === "Ctrl-C" ? "red" : "ended";
    } else {
      const { code, output } = await stack.run(...commandLine(command));
      printed.push(output);
      // Terraform refuses to take back a taint that is not there, and changes nothing.
      outcome = code === 0 || command.kind === "untaint" ? "green" : "red";
    }
    stack.environment.DOCS_PLATFORM_JOURNAL = journal;
    const ids = platform.jobs.list().map(({ jobId }) => jobId);
    const saved = stack.addresses(type).map((address) => {
      const instances = stack.stateOf(address)?.instances ?? [];
      return { address, current: instances.find(({ deposed }) => deposed === undefined), instances };
    });
    const objects = saved.flatMap(({ address, current }) =>
      current === undefined
        ? []
        : [
            [
              address,
              { job: ids.indexOf(String(current.attributes.job_id)) + 1, isTainted: current.status === "tainted" },
            ] as const,
          ],
    );
    scenes.push({
      isEnded,
      outcome,
      starts: expected[index]?.starts === undefined ? undefined : platform.starts,
      objects: Object.fromEntries(objects.sort()),
      deposed: saved.flatMap(({ instances }) => instances.filter(({ deposed }) => deposed !== undefined)).length,
      codes: codesIn(printed.at(-1) ?? ""),
    });
  }
  return { scenes, printed };
}

/** Compares what the model and Terraform can both tell: a process without its Terraform may still be ending. */
function told(scenes: readonly TerraformScene[]): object[] {
  return scenes.map(({ isEnded: _, outcome, ...more }) => (outcome === "ended" ? { outcome } : { outcome, ...more }));
}

describe.skipIf(!requireTool("terraform")).each(["folder", "bucket"] as const)(
  "the explorer's model of Terraform, with a journal in a %s, is held to it",
  (place) => {
    const random = seededRandom(campaignSeed() + (place === "bucket" ? 1_000 : 0));
    const drawn = Array.from({ length: campaign ? 100 : 2 }, (_, number) => ({
      number,
      acts: drawActs(random, place === "bucket"),
    }));

    it.each(drawn)("schedule $number", async ({ number, acts }) => {
      const begin = Date.now();
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.create(platform, "");
      Object.assign(stack.environment, { DOCS_PLATFORM_JOURNAL_REQUIRED: "true", DOCS_PLATFORM_MAX_RETRIES: "1" });
      if (place === "bucket") {
        const DOCS_PLATFORM_JOURNAL = s3.server.destination(`explored-${count++}`, "acme");
        Object.assign(stack.environment, s3.server.environment, { DOCS_PLATFORM_JOURNAL });
      }
      const expected = await playOnTerraform(acts, { isRemote: place === "bucket" });
      const { scenes, printed } = await playForReal(acts, expected, stack, platform);
      const story = acts.map((act, index) => `${JSON.stringify(act)}\n${printed[index]}`);
      const name = `Terraform, ${place} ${number}`;
      expectAsInModel({ name, begin, real: told(scenes), model: told(expected), story });
    });
  },
);
