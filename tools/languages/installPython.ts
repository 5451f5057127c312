import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, inScratch, makeCacheFolder, publish } from "../pulumi/cacheFolder";
import { interruptible } from "../pulumi/interrupt";
import { withLock } from "../pulumi/lock";
import { withProgress } from "../pulumi/progress";
import { lastLines } from "../pulumi/runTool";
import { runModule } from "../schemathesis/installSchemathesis";

const requirements = join(__dirname, "python", "requirements.txt");

/**
 * A virtual environment that holds exactly `python/requirements.txt`: the SDK for programs in Python. Made in the user's
 * cache the first time (about 30 seconds, needs `python3` 3.10 or later and PyPI).
 * @returns the folder of its `python`, to be put on PATH.
 */
export async function installPython(): Promise<string> {
  const cache = cacheFolder();
  const hash = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 8);
  const folder = join(cache, `pulumi-python-${hash}`);
  if (!(await works(folder))) {
    await makeCacheFolder(cache);
    await interruptible((signal) =>
      withLock(cache, signal, async (held) => {
        if (!(await works(folder))) {
          await withProgress("installing the Python SDK from PyPI (about 30 seconds, once)", 0, () =>
            make(cache, folder, held),
          );
        }
      }),
    );
  }
  return join(folder, "bin");
}

async function works(folder: string): Promise<boolean> {
  return (await runModule(join(folder, "bin", "python"), ["pip", "show", "pulumi"], { cwd: "/" })).ok;
}

async function make(cache: string, folder: string, signal: AbortSignal): Promise<void> {
  await inScratch(cache, async (scratch) => {
    const made = join(scratch, "made");
    const install = ["pip", "install", "--disable-pip-version-check", "--no-input", "--requirement", requirements];
    for (const [python, args] of [
      ["python3", ["venv", made]],
      [join(made, "bin", "python"), install],
    ] as const) {
      const outcome = await runModule(python, args, { cwd: scratch, signal });
      if (!outcome.ok) {
        throw new Error(`the Python SDK was not installed: ${outcome.problem}\n${lastLines(outcome.output, 10)}`);
      }
    }
    await publish(made, folder, scratch);
  });
}
