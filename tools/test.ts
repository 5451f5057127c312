import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Counts, countsOfVitest, sum, summary } from "./testCounts";
import { getTestTools } from "./testTools";

const root = dirname(__dirname);
const passed: Counts = { passed: 1, failed: 0, skipped: 0 };
const failed: Counts = { passed: 0, failed: 1, skipped: 0 };

/** Runs everything that stands for "the tests": the build, the static checks, and vitest with the given arguments. */
async function main(): Promise<void> {
  const counts = await runAll(process.argv.slice(2));
  // Nothing may be written after this line: tools read the last one.
  process.stdout.write(`${summary(counts)}\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

async function runAll(vitestArguments: readonly string[]): Promise<Counts> {
  title("build");
  // What cannot be built cannot be tested.
  if ((await runNpm("build")) !== 0) return failed;
  title("static checks");
  const check = (await runNpm("check")) === 0 ? passed : failed;
  // Some of the tests need few of the tools, and get those by themselves.
  const tools = vitestArguments.length === 0 ? await haveTools() : [];
  title("tests");
  return sum([passed, check, ...tools, await runVitest(vitestArguments)]);
}

/** Getting a tool is no test; a machine on which one cannot be had is a failure, and the other tests still run. */
async function haveTools(): Promise<Counts[]> {
  title("tools");
  const problems = await getTestTools();
  for (const problem of problems) console.error(problem);
  return problems.map(() => failed);
}

async function runVitest(vitestArguments: readonly string[]): Promise<Counts> {
  const scratch = await mkdtemp(join(tmpdir(), "pulumi-docs-platform-test-"));
  try {
    const vitest = join(dirname(createRequire(__filename).resolve("vitest/package.json")), "vitest.mjs");
    const report = join(scratch, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const exitCode = await run(process.execPath, [vitest, "run", ...reporters, ...vitestArguments]);
    return countsOfVitest(report, exitCode);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function runNpm(script: string): Promise<number> {
  return run("npm", ["run", "--silent", script]);
}

/** Runs a command with our own input and output, to its end: a Ctrl-C reaches it from the terminal, not through us. */
function run(file: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, stdio: "inherit" });
    const wait = () => undefined;
    const pass = (signal: NodeJS.Signals) => child.kill(signal);
    process.on("SIGINT", wait).on("SIGTERM", pass).on("SIGHUP", pass);
    const end = (code: number) => {
      process.off("SIGINT", wait).off("SIGTERM", pass).off("SIGHUP", pass);
      resolve(code);
    };
    child.once("error", (error) => {
      console.error(`${file}: ${error.message}`);
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}

function title(text: string): void {
  console.log(`\n== ${text}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  console.log(summary(failed));
  process.exitCode = 1;
});
