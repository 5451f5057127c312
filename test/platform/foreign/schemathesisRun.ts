import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type Platform, type PlatformOptions, startPlatform } from "../../../simulator";
import { runModule } from "../../../tools/processes/runTool";

const count = z.number();

/** The fields of Schemathesis' JSON report that the tests read. */
const Report = z.object({
  complete: z.boolean(),
  operations: z.object({ total: count, tested: count }),
  phases: z.record(z.string(), z.object({ status: z.string() })),
  test_cases: z.object({ generated: count, with_failures: count, errored: count }),
  failures: z.array(z.object({ code: z.string(), title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.object({ title: z.string() })),
  warnings: z.record(z.string(), z.array(z.unknown())),
});

/** One run of Schemathesis. */
export interface SchemathesisRun {
  /** True if its exit code reports no failure. */
  readonly clean: boolean;
  readonly output: string;
  /** The part of its output from its own heading on. */
  readonly summary: string;
  readonly report: z.infer<typeof Report>;
}

/** A folder without a configuration of Schemathesis in it, removed at the end of the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "schemathesis-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A platform in which every answer is met, by the number of requests and not by their speed: every other export never
 * ends (409 for its bundle), and of ten messages five are beyond the limit (429), until the next hour begins.
 */
export async function platformUnderTest(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({
    queueTime: 0,
    jobTime: 0,
    agentTime: 50,
    messagesPerHour: 5,
    // The example of the document. Without an existing job, only 404 would be tested.
    agentJobs: [{ projectId: "docs", id: "agent-job-1" }],
    ...options,
  });
  platform.on("request", ({ operation }) => {
    if (operation === "startExport") {
      platform.jobTime = platform.starts % 2 === 0 ? 0 : Number.POSITIVE_INFINITY;
    }
    if (operation === "sendMessage" && platform.counts.sendMessage % 10 === 0) {
      platform.clockOffset += 3_600_000;
    }
  });
  onTestFinished(() => platform.close());
  return platform;
}

/**
 * Runs Schemathesis against a platform: its document, the valid key, all checks, all phases, one seed.
 *
 * @param maxExamples test cases of each operation and phase
 */
export async function runSchemathesis(
  python: string,
  platform: Platform,
  maxExamples: number,
  timeLimit: number,
): Promise<SchemathesisRun> {
  const cwd = emptyFolder();
  const report = join(cwd, "report.json");
  const args = [
    ...["schemathesis.cli", "run", `${platform.baseUrl}/openapi.json`, "--no-color"],
    ...["--header", `Authorization: Bearer ${platform.apiKey}`],
    ...["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful", "--mode", "all"],
    ...["--seed", "1", "--max-examples", String(maxExamples), "--generation-database", "none"],
    ...["--report", "json", "--report-json-path", report],
  ];
  // A proxy of the machine may not serve loopback.
  const env = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
  const outcome = await runModule(python, args, { cwd, env, timeLimit });
  const { output } = outcome;
  return { clean: outcome.ok, output, summary: summaryOf(output), report: readReport(report, output) };
}

function summaryOf(output: string): string {
  return output.slice(Math.max(output.search(/^=+ SUMMARY =+$/m), 0)).trim();
}

function readReport(file: string, output: string): z.infer<typeof Report> {
  try {
    return Report.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Error(`Schemathesis wrote no report that can be read:\n${output}`, { cause: error });
  }
}
