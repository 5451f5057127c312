import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runTool } from "../processes/runTool";
import { projectRoot } from "../projectRoot";
import { testFiles, toolsNeededBy } from "../toolchain/toolsNeededBy";
import { inPhases } from "./inPhases";
import {
  type Counts,
  countsOfVitest,
  failedTests,
  readReport,
  slowestFiles,
  sum,
  summary,
  type VitestRun,
} from "./report";
import { ToolBuilds } from "./toolBuilds";

const passed: Counts = { passed: 1, failed: 0, skipped: 0 };
const failed: Counts = { passed: 0, failed: 1, skipped: 0 };

class Interruption extends Error {
  constructor(readonly by: NodeJS.Signals) {
    super(`ended by ${by}`);
  }
}

const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => interruption.abort(new Interruption(name)));
}

async function main(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "pulumi-docs-platform-test-"));
  try {
    const counts = await runAll(process.argv.slice(2), scratch);
    // Nothing may be printed after this line, because other programs read the last line.
    process.stdout.write(`${summary(counts)}\n`);
    process.exitCode = counts.failed > 0 ? 1 : 0;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function runAll(vitestArguments: readonly string[], scratch: string): Promise<Counts> {
  title("build");
  if ((await run("npm", ["run", "--silent", "build"])) !== 0) {
    return failed;
  }
  const built = builtAt();
  // If only some tests run, these tests need few tools and build the tools themselves.
  const tools = vitestArguments.length === 0 ? new ToolBuilds(interruption.signal) : undefined;
  await tools?.foundInCache();
  title("tests, with the static checks beside them");
  const [check, runs] = await Promise.all([
    runChecks(),
    tools
      ? inPhases(testFiles(), toolsNeededBy, tools, (files) => runVitest(files, scratch))
      : Promise.all([runVitest(vitestArguments, scratch)]),
  ]);
  const reports = runs.flatMap(({ report }) => report ?? []);
  console.log(["", ...slowestFiles(reports), "", ...failedTests(reports)].join("\n"));
  const rebuilt = builtAt() === built ? [] : ["the build: it ran again while tests started the built programs"];
  const problems = [...rebuilt, ...(tools?.problems ?? [])];
  for (const problem of [...(check.failed > 0 ? ["npm run check"] : []), ...problems]) {
    console.log(`FAILED ${problem}`);
  }
  return sum([passed, check, ...problems.map(() => failed), countsOfVitest(runs)]);
}

/** Returns the time of the last build. Tests start programs that this build has made. */
function builtAt(): number {
  return statSync(join(projectRoot, "dist", "provider", "bundle.js")).mtimeMs;
}

/** The checks' output is printed when they have ended, because it would otherwise be mixed with vitest's output. */
async function runChecks(): Promise<Counts> {
  const { signal } = interruption;
  // A check packs the project. Without this variable, npm would build again, and disturb the running tests.
  const env = { NPM_CONFIG_IGNORE_SCRIPTS: "true" };
  const { ok, output } = await runTool("npm", ["run", "--silent", "check"], { cwd: projectRoot, env, signal });
  title("static checks");
  process.stdout.write(output);
  return ok ? passed : failed;
}

async function runVitest(args: readonly string[], folder: string): Promise<VitestRun> {
  const file = join(await mkdtemp(join(folder, "vitest-")), "report.json");
  const vitest = join(dirname(createRequire(__filename).resolve("vitest/package.json")), "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const exitCode = await run(process.execPath, [vitest, "run", ...reporters, ...args]);
  return { exitCode, report: readReport(file) };
}

function run(file: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: projectRoot, stdio: "inherit" });
    const { signal } = interruption;
    // SIGINT is not sent on, because after Ctrl-C the terminal itself sends it to the command.
    const passOn = () => signal.reason.by !== "SIGINT" && child.kill(signal.reason.by);
    signal.addEventListener("abort", passOn);
    child.once("error", (error) => console.error(`${file}: ${error.message}`));
    child.once("close", (code) => {
      signal.removeEventListener("abort", passOn);
      if (signal.aborted) {
        reject(signal.reason);
      } else {
        resolve(code ?? 1);
      }
    });
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
