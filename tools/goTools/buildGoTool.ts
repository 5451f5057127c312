import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goEnvironment } from "../goEnvironment";
import { cacheFolder, inScratch, publish, removeLeftovers } from "../pulumi/cacheFolder";
import { isExecutable } from "../pulumi/executables";
import { interruptible } from "../pulumi/interrupt";
import { LockLost, withLock } from "../pulumi/lock";
import { withProgress } from "../pulumi/progress";
import { lastLines, runTool } from "../pulumi/runTool";
import { buildArguments, type GoTool, keptName, pinnedVersion } from "./goTool";

/** A tool is not there and could not be built. The message names the step that failed, and why. */
export class GoToolNotBuilt extends Error {
  override readonly name = "GoToolNotBuilt";
}

const proofLimit = 20_000;
const buildLimit = 20 * 60_000;

/**
 * Finds a tool, of the version that its go.mod pins, and builds it into the user's cache the first time (needs `go`
 * and the Go module proxy). One tool is built at a time, whichever process asks.
 *
 * @returns the executable.
 * @throws GoToolNotBuilt
 */
export async function buildGoTool(tool: GoTool): Promise<string> {
  const cache = cacheFolder();
  const folder = join(cache, keptName(tool));
  if ((await problemOf(tool, folder)) !== "") {
    await interruptible((signal) => makeAlone(tool, cache, folder, signal));
  }
  return join(folder, tool.name);
}

/** What is wrong with a build, or nothing. It never touches the network. */
async function problemOf(tool: GoTool, folder: string): Promise<string> {
  const file = join(folder, tool.name);
  if (!isExecutable(file)) return `there is no ${file}`;
  const outcome = await runTool(file, tool.versionArguments ?? ["-help"], { cwd: tmpdir(), timeLimit: proofLimit });
  if (!outcome.ok) return outcome.problem;
  if (tool.versionArguments === undefined) return "";
  const words = outcome.stdout.split(/\s+/).map((word) => word.replace(/^v/, ""));
  return words.includes(pinnedVersion(tool)) ? "" : `it tells "${outcome.stdout.trim().slice(0, 80)}" for its version`;
}

async function makeAlone(tool: GoTool, cache: string, folder: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await withLock(cache, signal, (held) => make(tool, cache, folder, held));
    } catch (error) {
      // The process that took over is at work now: wait for it like any other.
      if (!(error instanceof LockLost)) throw error;
    }
  }
}

async function make(tool: GoTool, cache: string, folder: string, signal: AbortSignal): Promise<void> {
  // The process that held the lock until now may have made it.
  if ((await problemOf(tool, folder)) === "") return;
  await removeLeftovers(cache);
  await inScratch(cache, async (scratch) => {
    const made = join(scratch, "made");
    const what = `building ${tool.name} ${pinnedVersion(tool)} from its Go module (${tool.buildTime}, once)`;
    await withProgress(what, 0, () => build(tool, made, scratch, signal));
    const problem = await problemOf(tool, made);
    if (problem !== "") throw new GoToolNotBuilt(`${tool.name} was built and does not run: ${problem}`);
    await publish(made, folder, scratch);
  });
}

async function build(tool: GoTool, made: string, scratch: string, signal: AbortSignal): Promise<void> {
  const work = join(scratch, "work");
  await Promise.all([made, work].map((folder) => mkdir(folder)));
  const outcome = await runTool("go", buildArguments(tool, join(made, tool.name)), {
    cwd: tool.folder,
    env: goEnvironment(work),
    timeLimit: buildLimit,
    signal,
  });
  if (!outcome.ok) {
    throw new GoToolNotBuilt(`${tool.name}, go build: ${outcome.problem}\n${lastLines(outcome.output, 20)}`);
  }
}
