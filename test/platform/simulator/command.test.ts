import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCommandLine } from "../../../simulator/command/flags";
import { parseGoDuration } from "../../../simulator/command/goDuration";
import { UsageError } from "../../../simulator/command/help";
import { until } from "../../support/until";
import { fetchUrl } from "./support";

const script = join(__dirname, "../../../simulator/main.ts");

function run(...flags: string[]): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", script, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("the command", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "prints what to paste, then a line a request, and ends at once with exit 0 on %s",
    async (signal) => {
      const child = run("--key", "svc_x", "--fault", "getExport:hang");
      let output = "";
      child.stdout?.on("data", (data) => {
        output += data;
      });
      await until(() => output.includes("API_KEY"));
      expect(output).toMatch(
        /^export DOCS_PLATFORM_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport DOCS_PLATFORM_API_KEY=svc_x\n$/,
      );
      const baseUrl = /BASE_URL=(\S+)/.exec(output)?.[1] ?? "";
      await fetchUrl(`${baseUrl}/v1/static-export/jobs`, { method: "POST" });
      await until(() => output.includes("POST /v1/static-export/jobs 401"));
      const headers = { authorization: "Bearer svc_x" };
      const hanging = fetchUrl(`${baseUrl}/v1/static-export/jobs/any`, { headers }).catch(() => "broken");
      const begun = performance.now();
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([0, null]);
      expect(performance.now() - begun).toBeLessThan(1_000);
      expect(await hanging).toBe("broken");
    },
  );

  test("exits 2 with the flag's name on a bad flag", async () => {
    const child = run("--job-time", "5");
    const [[code], error] = await Promise.all([once(child, "exit"), child.stderr && text(child.stderr)]);
    expect([code, error]).toEqual([2, expect.stringContaining("--job-time 5: it takes a duration")]);
  });

  test("exits 0 on --help and tells every flag", async () => {
    const child = run("--help");
    const [[code], output] = await Promise.all([once(child, "exit"), child.stdout && text(child.stdout)]);
    expect(code).toBe(0);
    for (const flag of ["--port", "--key", "--job-time", "--fault", "--progress", "--agent-job", "--openapi"]) {
      expect(output).toContain(flag);
    }
  });

  test("prints the agent jobs that it has added", async () => {
    const child = run("--agent-job", "docs/job-1", "--agent-job", "other/job-2");
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
    });
    await until(() => output.split("\n").length > 4);
    expect(output).toMatch(
      /\n# agent job job-1 of project docs: completed\n# agent job job-2 of project other: completed\n$/,
    );
  });

  test("prints the OpenAPI document, and nothing else, on --openapi", async () => {
    const child = run("--openapi");
    const [[code], output] = await Promise.all([once(child, "exit"), child.stdout && text(child.stdout)]);
    expect([code, JSON.parse(output ?? "")]).toEqual([0, expect.objectContaining({ openapi: "3.1.0" })]);
  });
});

describe("flags", () => {
  test("become options", () => {
    const line =
      "--port 8080 --key svc_x --job-time 5s --queue-time 1s --link-life 1m30s --domains a,b --content docs --progress none " +
      "--start-status 202 --expires-at epochSeconds --times --no-page-count --one-job-per-domain --starts-per-hour 10 " +
      "--clock-offset=-90s --running-status busy --no-extra-fields --fault startExport:503:2 --fault getExport:reset " +
      "--fault download:delay=250ms:3 --agent-job docs/job-1 --agent-job docs/job-2 --projects docs,x --agent-time 1s " +
      "--requests-per-second 5 --agent-outcome unchanged --messages-per-hour 5 --message-window 10s";
    expect(readCommandLine([...line.split(" "), "--fail-jobs", "no space left"])).toEqual({
      port: 8080,
      apiKey: "svc_x",
      jobTime: 5_000,
      queueTime: 1_000,
      linkLife: 90_000,
      clockOffset: -90_000,
      domains: ["a", "b"],
      content: "docs",
      failJobs: "no space left",
      agentJobs: [
        { projectId: "docs", id: "job-1" },
        { projectId: "docs", id: "job-2" },
      ],
      projectIds: ["docs", "x"],
      agentTime: 1_000,
      agentOutcome: { status: "completed", prLink: null },
      messagesPerHour: 5,
      messageWindow: 10_000,
      oneJobPerDomain: true,
      startsPerHour: 10,
      requestsPerSecond: 5,
      dialect: {
        progress: "none",
        startStatus: 202,
        runningStatus: "busy",
        expiresAt: "epochSeconds",
        times: true,
        pageCount: false,
        extraFields: false,
      },
      faults: [
        { operation: "startExport", kind: "status", status: 503, count: 2 },
        { operation: "getExport", kind: "reset", count: 1 },
        { operation: "download", kind: "delay", ms: 250, count: 3 },
      ],
    });
    expect(readCommandLine([])).toEqual({ dialect: {} });
    expect(readCommandLine(["--agent-outcome", "failed"])).toMatchObject({ agentOutcome: { status: "failed" } });
  });

  test.each([
    ["--nope"],
    ["--port", "x"],
    ["--port", "70000"],
    ["--link-life", "-1s"],
    ["--start-status", "204"],
    ["--progress", "words"],
    ["--starts-per-hour", "1.5"],
    ["--fault", "startExport"],
    ["--fault", "nope:503"],
    ["--agent-job", "docs"],
    ["--agent-job", "docs/job/1"],
    ["--agent-outcome", "active"],
    ["--messages-per-hour", "many"],
    ["--fault", "startExport:503:0"],
    ["--fault", "startExport:delay=x"],
    ["stray"],
  ])("are refused when wrong: %s %s", (...args) => {
    expect(() => readCommandLine(args)).toThrow(UsageError);
  });

  test.each([
    ["90s", 90_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["-2s", -2_000],
    ["0", 0],
    ["", undefined],
    ["5", undefined],
    ["5 s", undefined],
    ["1d", undefined],
  ])("read the Go duration %j as %s ms", (duration, expected) => {
    expect(parseGoDuration(duration)).toBe(expected);
  });
});
