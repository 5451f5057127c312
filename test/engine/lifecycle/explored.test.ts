import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { type Act, exportNames, play, type Scene } from "../../explore/play";
import { type End, everyEnd } from "../../explore/pulumi";
import { codesIn } from "../../explore/told";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { killAll, providersOf, removeCutAttributes } from "../../support/fixtures/kills";
import { drawEnd, holdAt, reached } from "../../support/heldMoment";
import { expectAsInModel } from "../../support/heldToModel";
import { s3OfFile } from "../../support/mirror/s3Server";
import { campaignSeed, type Random, seededRandom } from "../../support/random";

const urnOf = (name: string) => `urn:pulumi:test::lifecycle::pulumi-nodejs:dynamic/docs-platform:StaticExport::${name}`;
/** Nobody listens there. */
const nowhere = "http://127.0.0.1:9";

const s3 = s3OfFile();
let count = 0;

/** A few runs for one export each, most of which are ended or find no journal, and two for each that are left alone. */
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
      end: !isJournalGone && random.next() < 0.7 ? drawEnd(random, everyEnd) : undefined,
    };
  });
  const quiet = exportNames
    .slice(0, areMany ? 2 : 1)
    .map((name): Act => ({ command: { kind: "up", targets: [name] } }));
  return [...ended, ...quiet, ...quiet];
}

async function end(how: End, stack: EngineStack, running: ReturnType<EngineStack["start"]>): Promise<void> {
  switch (how) {
    case "kill":
      killAll(stack);
      return;
    case "engine dies":
      running.kill();
      return;
    case "provider dies":
      for (const pid of providersOf(stack)) {
        process.kill(pid, "SIGKILL");
      }
      return;
    case "Ctrl-C twice":
      running.interrupt();
      await sleep(200);
  }
  running.interrupt();
}

function commandLine({ command: { kind, replace, targets = [] } }: Act, isThere: boolean): string[] {
  // `--replace` makes a resource a target as well.
  const replaced = isThere && replace ? replace.flatMap((name) => ["--replace", urnOf(name)]) : [];
  return [kind, "--yes", "--skip-preview", ...replaced, ...targets.flatMap((name) => ["--target", urnOf(name)])];
}

/** Performs the same acts on the real engine. */
async function playForReal(acts: readonly Act[], expected: readonly Scene[], stack: EngineStack, platform: Platform) {
  const scenes: Scene[] = [];
  const printed: string[] = [];
  for (const [index, act] of acts.entries()) {
    const isEnded = expected[index]?.isEnded === true;
    const line = commandLine(act, (await stack.state(act.command.targets?.[0] ?? "")) !== undefined);
    const { DOCS_PLATFORM_JOURNAL: journal } = stack.environment;
    if (act.isJournalGone && journal !== undefined) {
      stack.environment.DOCS_PLATFORM_JOURNAL = journal.replace(
        /endpoint=[^&]*/,
        `endpoint=${encodeURIComponent(nowhere)}`,
      );
    }
    let outcome: Scene["outcome"];
    if (act.end !== undefined && isEnded) {
      holdAt(platform, act.end.at, act.end.how);
      const running = stack.start(...line);
      await reached(platform, act.end.at, running.ended);
      await end(act.end.how, stack, running);
      printed.push((await running.ended).output);
      outcome = act.end.how === "Ctrl-C" || act.end.how === "provider dies" ? "red" : "ended";
      removeCutAttributes(stack);
      rmSync(join(stack.folder, "backend", ".pulumi", "locks"), { recursive: true, force: true });
    } else {
      const { code, output } = await stack.pulumi(...line);
      printed.push(output);
      outcome = code === 0 ? "green" : "red";
    }
    if (journal !== undefined) {
      stack.environment.DOCS_PLATFORM_JOURNAL = journal;
    }
    const saved = await Promise.all(exportNames.map((name) => stack.state(name)));
    const ids = platform.jobs.list().map(({ jobId }) => jobId);
    scenes.push({
      isEnded,
      outcome,
      starts: platform.starts,
      jobs: saved.map((one) => one && ids.indexOf(one.id ?? "") + 1),
      codes: codesIn(printed.at(-1) ?? ""),
    });
  }
  return { scenes, printed };
}

/**
 * Compares what the model and the engine can both tell. A cancelled run prints its state so far, and a process without
 * its engine may still be ending.
 */
function told(scenes: readonly Scene[]): object[] {
  return scenes.map(({ outcome, starts, jobs, codes }) =>
    outcome === "ended" ? { outcome } : { outcome, starts, jobs, codes },
  );
}

describe.each(["folder", "bucket"] as const)(
  "the model of the engine, with a journal in a %s, is held to it",
  (place) => {
    const random = seededRandom(campaignSeed() + (place === "bucket" ? 1_000 : 0));
    const drawn = Array.from({ length: campaign ? 100 : 3 }, (_, number) => ({
      number,
      acts: drawActs(random, place === "bucket"),
    }));

    it.each(drawn)("schedule $number", async ({ number, acts }) => {
      const begin = Date.now();
      const platform = await testPlatform({ jobTime: 0 });
      const stack = await testStack(platform, { sites: exportNames.length });
      Object.assign(stack.environment, { DOCS_PLATFORM_JOURNAL_REQUIRED: "true", DOCS_PLATFORM_MAX_RETRIES: "1" });
      if (place === "bucket") {
        const DOCS_PLATFORM_JOURNAL = s3.server.destination(`explored-${count++}`, "acme");
        Object.assign(stack.environment, s3.server.environment, { DOCS_PLATFORM_JOURNAL });
      }
      const expected = await play(acts, { isRemote: place === "bucket" });
      const { scenes, printed } = await playForReal(acts, expected, stack, platform);
      const story = acts.map(({ command, end }, index) => `${JSON.stringify({ command, end })}\n${printed[index]}`);
      const name = `the engine, ${place} ${number}`;
      expectAsInModel({ name, begin, real: told(scenes), model: told(expected), story });
    });
  },
);
