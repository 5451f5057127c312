import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, inScratch, publish, removeLeftovers } from "../pulumi/cacheFolder";
import { isExecutable } from "../pulumi/executables";
import { interruptible } from "../pulumi/interrupt";
import { LockLost, withLock } from "../pulumi/lock";
import { withProgress } from "../pulumi/progress";
import { lastLines, type Outcome, runTool } from "../pulumi/runTool";

/** Schemathesis is not there and could not be installed. The message names the step that failed, and why. */
export class SchemathesisNotInstalled extends Error {
  override readonly name = "SchemathesisNotInstalled";
}

const requirements = join(__dirname, "requirements.txt");
const proofLimit = 60_000;
const installLimit = 5 * 60_000;

/**
 * Finds the Python of a virtual environment that holds exactly `requirements.txt`, and makes it in the user's cache
 * the first time (about 20 seconds, needs `python3` 3.10 or later and PyPI). Use it by `python -I -m <module>` only:
 * the scripts of a virtual environment name the folder in which it was made, and this one was moved into its place.
 *
 * @throws SchemathesisNotInstalled
 */
export async function installSchemathesis(): Promise<string> {
  const cache = cacheFolder();
  const folder = keptFolder(cache);
  const python = pythonOf(folder);
  if ((await problemOf(python)) === "") return python;
  await interruptible((signal) => makeAlone(cache, folder, signal));
  return python;
}

/** Runs a module of a Python in its isolated mode: no variable and no folder of the user changes what is loaded. */
export function runModule(
  python: string,
  args: readonly string[],
  options: Parameters<typeof runTool>[2],
): Promise<Outcome> {
  return runTool(python, ["-I", "-m", ...args], options);
}

function keptFolder(cache: string): string {
  const text = readFileSync(requirements, "utf8");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return join(cache, `schemathesis-${pinnedVersion(text)}-${hash}`);
}

function pinnedVersion(text: string): string {
  const version = /^schemathesis==(\S+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${requirements} does not pin schemathesis`);
  return version;
}

function pythonOf(folder: string): string {
  return join(folder, "bin", "python");
}

/** What is wrong with an installation, or nothing. It never touches the network. */
async function problemOf(python: string): Promise<string> {
  // An upgrade of the machine's Python leaves a link that leads nowhere.
  if (!isExecutable(python)) return `there is no ${python}`;
  const options = { cwd: cacheFolder(), timeLimit: proofLimit };
  return (await runModule(python, ["schemathesis.cli", "--version"], options)).problem;
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
  if ((await problemOf(pythonOf(folder))) === "") return;
  await removeLeftovers(cache);
  await inScratch(cache, async (scratch) => {
    const made = join(scratch, "made");
    await withProgress("installing Schemathesis from PyPI (about 20 seconds, once)", 0, () =>
      fill(made, scratch, signal),
    );
    const problem = await problemOf(pythonOf(made));
    if (problem !== "") throw new SchemathesisNotInstalled(`Schemathesis was installed and does not run: ${problem}`);
    await publish(made, folder, scratch);
  });
}

async function fill(made: string, scratch: string, signal: AbortSignal): Promise<void> {
  const options = { cwd: scratch, timeLimit: installLimit, signal };
  const venv = await runModule("python3", ["venv", made], options);
  if (!venv.ok) throw new SchemathesisNotInstalled(`python3 -m venv: ${venv.problem}\n${lastLines(venv.output, 10)}`);
  const install = ["pip", "install", "--disable-pip-version-check", "--no-input", "--requirement", requirements];
  const pip = await runModule(pythonOf(made), install, options);
  if (!pip.ok) throw new SchemathesisNotInstalled(`pip install: ${pip.problem}\n${lastLines(pip.output, 10)}`);
}
