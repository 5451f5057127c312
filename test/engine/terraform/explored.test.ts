import { describe, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { outerStops } from "../../explore/machine";
import { type Act, playOnTerraform } from "../../explore/play";
import { addressOf, type TerraformCommand } from "../../explore/terraform";
import { campaign } from "../../support/campaign";
import { drawStop, expectAsInModel, type RealEngine } from "../../support/expectAsInModel";
import { killAll } from "../../support/fixtures/kills";
import { s3OfFile } from "../../support/mirror/s3Server";
import { campaignSeed, type Random, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { TerraformStack, terraformPlatform } from "../../support/terraformStack";

const type = "docsplatform_static_export";
const s3 = s3OfFile();
let count = 0;

/**
 * Generates random runs. Most of them are ended early or have no journal. Two undisturbed runs of each export follow.
 *
 * Each run targets only one of two equal exports. Two exports in one run reach a step at different times, so the run
 * could not be ended at the same step of both.
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
    const end = !isJournalGone && random.next() < 0.7 ? drawStop(random, outerStops) : undefined;
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

function realEngine(
  stack: TerraformStack,
  platform: Platform,
): RealEngine<TerraformCommand, ReturnType<TerraformStack["start"]>> {
  const lineOf = (command: TerraformCommand) => {
    if (command.kind === "apply") {
      stack.write(hclOf(command));
    }
    return commandLine(command);
  };
  return {
    ...{ platform, environment: stack.environment, failingStops: ["Ctrl-C"] },
    run: (command) => stack.run(...lineOf(command)),
    start: async (command) => stack.start(...lineOf(command)),
    end(how, { pid }) {
      if (how === "kill") {
        killAll(stack);
      } else {
        process.kill(pid, "SIGKILL");
      }
    },
    // Terraform fails to untaint an object that is not tainted. The state is then already as wanted.
    isDone: ({ kind }) => kind === "untaint",
    state: async (numberOf) =>
      stack
        .addresses(type)
        .sort()
        .map((address) => {
          const { instances = [] } = stack.stateOf(address) ?? {};
          const current = instances.find(({ deposed }) => deposed === undefined);
          return {
            address,
            job: current && numberOf(current.attributes.job_id),
            isTainted: current && current.status === "tainted",
            deposed: instances.filter(({ deposed }) => deposed !== undefined).length,
          };
        }),
  };
}

describe.skipIf(!requireTool("terraform")).each(campaign ? (["folder", "bucket"] as const) : (["folder"] as const))(
  "the explorer's model of Terraform, with a journal in a %s, agrees with it",
  (place) => {
    const random = seededRandom(campaignSeed() + (place === "bucket" ? 1_000 : 0));
    const drawn = Array.from({ length: campaign ? 100 : 1 }, (_, number) => ({
      number,
      acts: drawActs(random, place === "bucket"),
    }));

    it.each(drawn)("schedule $number", async ({ number, acts }) => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.create(platform, "");
      Object.assign(stack.environment, { DOCS_PLATFORM_JOURNAL_REQUIRED: "true", DOCS_PLATFORM_MAX_RETRIES: "1" });
      if (place === "bucket") {
        const DOCS_PLATFORM_JOURNAL = s3.server.destination(`explored-${count++}`, "acme");
        Object.assign(stack.environment, s3.server.environment, { DOCS_PLATFORM_JOURNAL });
      }
      const expected = await playOnTerraform(acts, { isRemote: place === "bucket" });
      await expectAsInModel(`Terraform, ${place} ${number}`, acts, expected, realEngine(stack, platform));
    });
  },
);
