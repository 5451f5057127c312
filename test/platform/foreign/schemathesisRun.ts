import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Platform, startPlatform } from "../../../simulator";
import { runModule } from "../../../tools/processes/runTool";
import { temporaryFolder } from "../../support/temporaryFolder";

interface Report {
  complete: boolean;
  operations: { total: number; tested: number };
  phases: Record<string, { status: string }>;
  test_cases: { generated: number };
  failures: { code: string; title: string; operations: string[] }[];
  errors: { title: string }[];
  warnings: Record<string, unknown[]>;
}

export interface SchemathesisRun {
  /** True if the exit code reports no failure. */
  readonly clean: boolean;
  readonly output: string;
  /** The part of the output that begins with the heading "SUMMARY". */
  readonly summary: string;
  readonly report: Report;
}

/**
 * Starts a platform that gives every kind of answer, however fast the requests come. Every second export never ends, so
 * a request for its bundle gets 409. Of each ten messages, three are within the hourly limit, and seven get 429. Then
 * the platform's clock moves to the next hour.
 */
export async function platformUnderTest(): Promise<Platform> {
  const platform = await startPlatform({
    queueTime: 0,
    jobTime: 0,
    agentTime: 50,
    messagesPerHour: 3,
    // The document uses this id as its example. Without this job, every request about an agent job would get 404.
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
 * Runs Schemathesis with all checks, all phases and one seed. Schemathesis gets the API document from the platform.
 * @param maxExamples the number of test cases for each operation and phase.
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
  // A proxy may be unable to reach a server on this machine.
  const env = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
  const outcome = await runModule(python, args, { cwd, env, timeLimit });
  const { ok: clean, output } = outcome;
  if (!existsSync(report)) {
    throw new Error(`Schemathesis wrote no report:\n${output}`);
  }
  const summary = output.slice(Math.max(output.search(/^=+ SUMMARY =+$/m), 0)).trim();
  return { clean, output, summary, report: JSON.parse(readFileSync(report, "utf8")) };
}
