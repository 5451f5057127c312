import type { Attempt } from "./attempt";
import { cacheFolder, removeLeftovers } from "./cacheFolder";
import { buildFromGoModules, builtFolder } from "./candidates/fromGoModules";
import { fetchedFolder, fetchFromNpm } from "./candidates/fromNpm";
import { pulumiOnPath } from "./candidates/onPath";
import { executablesOnPath } from "./executables";
import { interruptible } from "./interrupt";
import { LockLost, withLock } from "./lock";
import { type Pins, readPins } from "./pins";
import { say } from "./progress";
import { oldestPulumi, proveOwn } from "./prove";

/** No way led to a Pulumi command line. The message names the three ways, and why each failed. */
export class PulumiNotFound extends Error {
  override readonly name = "PulumiNotFound";
}

/**
 * Finds the folder that holds `pulumi`, its Node.js language host and the host of dynamic providers. The first that
 * works wins: `pulumi` on PATH; the official release by the npm package `pulumi`; a build from the Go modules. What
 * was fetched or built is kept in the user's cache, and found there without network the next time.
 *
 * @throws PulumiNotFound when there is none and none can be had.
 */
export async function findPulumi(): Promise<string> {
  const onPath = await pulumiOnPath();
  if ("folder" in onPath) return onPath.folder;
  const pins = readPins();
  const cache = cacheFolder();
  // Both are looked for before either is made: a download that is refused here is not tried again at every call.
  const kept = await findKept(cache, pins);
  if (kept !== undefined) return kept;
  return interruptible((signal) => makeAlone(cache, pins, onPath.problem, signal));
}

async function findKept(cache: string, pins: Pins): Promise<string | undefined> {
  for (const folder of [fetchedFolder(cache, pins), builtFolder(cache, pins)]) {
    const attempt = await proveOwn(folder);
    if ("folder" in attempt) return folder;
  }
  return undefined;
}

async function makeAlone(cache: string, pins: Pins, pathProblem: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await withLock(cache, signal, (held) => make(cache, pins, pathProblem, held));
    } catch (error) {
      // The process that took over is at work now: wait for it like any other.
      if (!(error instanceof LockLost)) throw error;
    }
  }
}

async function make(cache: string, pins: Pins, pathProblem: string, signal: AbortSignal): Promise<string> {
  // The process that held the lock until now may have made it.
  const kept = await findKept(cache, pins);
  if (kept !== undefined) return kept;
  await removeLeftovers(cache);
  const fetched = await fetchFromNpm(cache, pins, signal);
  if ("folder" in fetched) return fetched.folder;
  const built = await build(cache, pins, fetched.problem, signal);
  if ("folder" in built) return built.folder;
  throw new PulumiNotFound(explain(pins, [pathProblem, fetched.problem, built.problem]));
}

async function build(cache: string, pins: Pins, npmProblem: string, signal: AbortSignal): Promise<Attempt> {
  if (executablesOnPath("go").length === 0) return { problem: "there is no `go` on PATH" };
  say(`the official release of Pulumi ${pins.engine} cannot be fetched (${npmProblem}): building it`);
  return buildFromGoModules(cache, pins, signal);
}

function explain(pins: Pins, problems: readonly string[]): string {
  const ways = [
    `Install Pulumi ${oldestPulumi} or later and put it on PATH.`,
    `Allow the download of the npm package \`pulumi\` ${pins.engine}, and of the official release that it fetches.`,
    `Install Go ${pins.go} or later and put it on PATH: Pulumi is then built from its public Go modules.`,
  ];
  const lines = ways.flatMap((way, index) => [
    `  ${index + 1}. ${way}`,
    `     Now: ${(problems[index] ?? "").split("\n").join("\n          ")}`,
  ]);
  return ["No Pulumi command line was found, and none could be had. Any one of these is enough:", ...lines].join("\n");
}
