import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { everyStop } from "../../explore/machine";
import { type Act, exportNames, play } from "../../explore/play";
import type { Command } from "../../explore/program";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { drawStop, expectAsInModel, type RealEngine } from "../../support/expectAsInModel";
import { killAll, providersOf, removeCutAttributes } from "../../support/fixtures/kills";
import { s3OfFile } from "../../support/mirror/s3Server";
import { campaignSeed, type Random, seededRandom } from "../../support/random";

const urnOf = (name: string) => `urn:pulumi:test::lifecycle::pulumi-nodejs:dynamic/docs-platform:StaticExport::${name}`;

const s3 = s3OfFile();
let count = 0;

/**
 * Generates random runs of one or two exports. Most runs are ended early or have no journal. Two undisturbed runs of
 * each export follow.
 */
function drawActs(random: Random, isRemote: boolean): Act[] {
  const kinds = ["up", "up", "up", "replace", "destroy", "refresh"] as const;
  const drawn = Array.from({ length: random.whole(1, 2) }, () => random.pick(kinds));
  const areMany = random.next() < 0.3;
  const ended = ["up" as const, ...drawn].map((kind): Act => {
    const name = areMany ? random.pick(exportNames) : exportNames[0];
    const command = {
      kind: kind === "replace" ? "up" : kind,
      targets: [name],
      ...(kind === "replace" && { replace: [name] }),
    } as const;
    const isJournalGone = isRemote && random.next() < 0.2;
    return {
      command,
      isJournalGone,
      end: !isJournalGone && random.next() < 0.7 ? drawStop(random, everyStop) : undefined,
    };
  });
  const quiet = exportNames
    .slice(0, areMany ? 2 : 1)
    .map((name): Act => ({ command: { kind: "up", targets: [name] } }));
  return [...ended, ...quiet, ...quiet];
}

function commandLine({ kind, replace, targets = [] }: Command, isThere: boolean): string[] {
  // `--replace` implies `--target`, so each replaced resource is also a target.
  const replaced = isThere && replace ? replace.flatMap((name) => ["--replace", urnOf(name)]) : [];
  return [kind, "--yes", "--skip-preview", ...replaced, ...targets.flatMap((name) => ["--target", urnOf(name)])];
}

function realEngine(stack: EngineStack, platform: Platform): RealEngine<Command, ReturnType<EngineStack["start"]>> {
  const lineOf = async (command: Command) =>
    commandLine(command, (await stack.state(command.targets?.[0] ?? "")) !== undefined);
  return {
    ...{ platform, environment: stack.environment, failingStops: ["Ctrl-C", "provider dies"] },
    run: async (command) => stack.pulumi(...(await lineOf(command))),
    async start(command) {
      const running = stack.start(...(await lineOf(command)));
      const ended = running.ended.finally(() => {
        removeCutAttributes(stack);
        rmSync(join(stack.folder, "backend", ".pulumi", "locks"), { recursive: true, force: true });
      });
      return { ...running, ended };
    },
    end(how, running) {
      if (how === "kill") {
        killAll(stack);
      } else if (how === "engine dies") {
        running.kill();
      } else {
        for (const pid of providersOf(stack)) {
          process.kill(pid, "SIGKILL");
        }
      }
    },
    async state(numberOf) {
      const saved = await Promise.all(exportNames.map((name) => stack.state(name)));
      return saved.map((one) => one && numberOf(one.id));
    },
  };
}

describe.each(campaign ? (["folder", "bucket"] as const) : (["folder"] as const))(
  "the model of the engine, with a journal in a %s, agrees with it",
  (place) => {
    const random = seededRandom(campaignSeed() + (place === "bucket" ? 1_000 : 0));
    const drawn = Array.from({ length: campaign ? 100 : 1 }, (_, number) => ({
      number,
      acts: drawActs(random, place === "bucket"),
    }));

    it.each(drawn)("schedule $number", async ({ number, acts }) => {
      const platform = await testPlatform({ jobTime: 0 });
      const stack = await testStack(platform, { sites: exportNames.length });
      Object.assign(stack.environment, { DOCS_PLATFORM_JOURNAL_REQUIRED: "true", DOCS_PLATFORM_MAX_RETRIES: "1" });
      if (place === "bucket") {
        const DOCS_PLATFORM_JOURNAL = s3.server.destination(`explored-${count++}`, "acme");
        Object.assign(stack.environment, s3.server.environment, { DOCS_PLATFORM_JOURNAL });
      }
      const expected = await play(acts, { isRemote: place === "bucket" });
      await expectAsInModel(`the engine, ${place} ${number}`, acts, expected, realEngine(stack, platform));
    });
  },
);
