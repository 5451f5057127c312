import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readLines, readResults, resultsVariable, resultTable } from "../test/support/campaignResults";
import { projectRoot } from "../tools/projectRoot";

/**
 * Runs every test in its long form. The arguments select test files. CAMPAIGN_SEED sets the seed, which is random by
 * default. The same seed draws the same cases, but the timing of real processes can differ.
 */
async function main(): Promise<void> {
  const given = process.env.CAMPAIGN_SEED ?? "";
  const seed = /^\d{1,9}$/.test(given) ? given : String(Math.floor(Math.random() * 1e9));
  const scratch = await mkdtemp(join(tmpdir(), "pulumi-docs-platform-campaign-"));
  const results = join(scratch, "results.jsonl");
  console.log(`seed ${seed} (CAMPAIGN_SEED=${seed} draws the same again)`);
  try {
    const environment = { CAMPAIGN: "1", CAMPAIGN_SEED: seed, [resultsVariable]: results };
    process.exitCode = await runVitest(process.argv.slice(2), environment);
  } finally {
    const faults = readResults(results);
    const table = faults.length > 0 ? `\n${resultTable(faults)}\n` : "";
    console.log(`\n${readLines(results)}${table}\nseed ${seed}`);
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Waits until vitest has printed its table, even after Ctrl-C. The terminal sends the signal to both processes. */
function runVitest(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const vitest = join(dirname(createRequire(__filename).resolve("vitest/package.json")), "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`vitest: ${error.message}`);
      resolve(1);
    });
    child.once("close", (code) => resolve(code ?? 1));
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
