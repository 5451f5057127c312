import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goEnvironment } from "../goEnvironment.js";
import { cacheFolder, inScratch, publish, removeLeftovers } from "../pulumi/cacheFolder.js";
import { isExecutable } from "../pulumi/executables.js";
import { interruptible } from "../pulumi/interrupt.js";
import { LockLost, withLock } from "../pulumi/lock.js";
import { withProgress } from "../pulumi/progress.js";
import { lastLines, runTool } from "../pulumi/runTool.js";

/** Toxiproxy is not there and could not be built. The message names the step that failed, and why. */
export class ToxiproxyNotBuilt extends Error {
  override readonly name = "ToxiproxyNotBuilt";
}

const serverPackage = "github.com/Shopify/toxiproxy/v2/cmd/server";
const versionVariable = "github.com/Shopify/toxiproxy/v2.Version";
const goModule = join(__dirname, "go.mod");
const executable = "toxiproxy-server";
/** Raise it when the build's flags or the content of the folder change. */
const recipe = "1";
const proofLimit = 20_000;
const buildLimit = 10 * 60_000;

/**
 * Finds the server of Toxiproxy, of the version that go.mod pins, and builds it into the user's cache the first time
 * (a few seconds, needs `go` and the Go module proxy).
 *
 * @returns the executable.
 * @throws ToxiproxyNotBuilt
 */
export async function buildToxiproxy(): Promise<string> {
  const cache = cacheFolder();
  const folder = keptFolder(cache);
  if ((await problemOf(folder)) !== "") await interruptible((signal) => makeAlone(cache, folder, signal));
  return join(folder, executable);
}

function keptFolder(cache: string): string {
  const hash = createHash("sha256").update(recipe);
  for (const file of [goModule, join(__dirname, "go.sum")]) hash.update(readFileSync(file));
  const name = ["toxiproxy", pinnedVersion(), process.platform, process.arch, hash.digest("hex").slice(0, 8)];
  return join(cache, name.join("-"));
}

function pinnedVersion(): string {
  const version = /^require github\.com\/Shopify\/toxiproxy\/v2 v(\S+)/m.exec(readFileSync(goModule, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${goModule} does not pin Toxiproxy`);
  return version;
}

/** What is wrong with a build, or nothing. It never touches the network. */
async function problemOf(folder: string): Promise<string> {
  const file = join(folder, executable);
  if (!isExecutable(file)) return `there is no ${file}`;
  const outcome = await runTool(file, ["-version"], { cwd: tmpdir(), timeLimit: proofLimit });
  if (!outcome.ok) return outcome.problem;
  const told = outcome.stdout.trim();
  return told.endsWith(` ${pinnedVersion()}`) ? "" : `it tells "${told.slice(0, 80)}" for its version`;
}

async function makeAlone(cache: string, folder: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await withLock(cache, signal, (held) => make(cache, folder, held));
    } catch (error) {
      // The process that took over is at work now: wait for it like any other.
      if (!(error instanceof LockLost)) throw error;
    }
  }
}

async function make(cache: string, folder: string, signal: AbortSignal): Promise<void> {
  // The process that held the lock until now may have made it.
  if ((await problemOf(folder)) === "") return;
  await removeLeftovers(cache);
  await inScratch(cache, async (scratch) => {
    const made = join(scratch, "made");
    const what = `building Toxiproxy ${pinnedVersion()} from its Go module (about 10 seconds, once)`;
    await withProgress(what, 0, () => build(made, scratch, signal));
    const problem = await problemOf(made);
    if (problem !== "") throw new ToxiproxyNotBuilt(`Toxiproxy was built and does not run: ${problem}`);
    await publish(made, folder, scratch);
  });
}

async function build(made: string, scratch: string, signal: AbortSignal): Promise<void> {
  const work = join(scratch, "work");
  await Promise.all([made, work].map((folder) => mkdir(folder)));
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags", `-s -w -X ${versionVariable}=${pinnedVersion()}`];
  const outcome = await runTool("go", ["build", ...flags, "-o", join(made, executable), serverPackage], {
    cwd: __dirname,
    env: goEnvironment(work),
    timeLimit: buildLimit,
    signal,
  });
  if (!outcome.ok) throw new ToxiproxyNotBuilt(`go build: ${outcome.problem}\n${lastLines(outcome.output, 20)}`);
}
