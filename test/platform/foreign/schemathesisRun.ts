import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Platform, startPlatform } from "../../../simulator";
import { runModule } from "../../../tools/processes/runTool";
import { temporaryFolder } from "../../support/temporaryFolder";

/** The fields of Schemathesis' JSON report that the tests read. */
interface Report {
  complete: boolean;
  operations: { total: number; tested: number };
  phases: Record<string, { status: string }>;
  test_cases: { generated: number };
  failures: { code: string; title: string; operations: string[] }[];
  errors: { title: string }[];
  warnings: Record<string, unknown[]>;
}

/** One run of Schemathesis. */
export interface SchemathesisRun {
  /** True if its exit code reports no failure. */
  readonly clean: boolean;
  readonly output: string;
  /** The part of its output that begins with its own heading. */
  readonly summary: string;
  readonly report: Report;
}

/**
 * Starts a platform on which every answer occurs, whatever the speed of the requests: every second export never ends
 * (409 for its bundle), and seven of ten messages are beyond the limit (429), until the next hour.
 */
export async function platformUnderTest(): Promise<Platform> {
  const platform = await startPlatform({
    queueTime: 0,
    jobTime: 0,
    agentTime: 50,
    messagesPerHour: 3,
    // The id in the document's example. Without an existing job, only 404 would be tested.
    agentJobs: [{ projectId: "docs", id: "agent-job-1" }],
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
  const cwd = temporaryFolder();
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
  const { ok: clean, output } = outcome;
  if (!existsSync(report)) {
    throw new Error(`Schemathesis wrote no report:\n${output}`);
  }
  const summary = output.slice(Math.max(output.search(/^=+ SUMMARY =+$/m), 0)).trim();
  return { clean, output, summary, report: JSON.parse(readFileSync(report, "utf8")) };
}
