import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseMilliseconds, UsageError } from "../../../simulator/command/help";
import { readCommandLine } from "../../../simulator/command/readCommandLine";
import { until } from "../../support/until";
import { fetchUrl } from "./support";

const script = join(__dirname, "../../../simulator/main.ts");

function run(...flags: string[]): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", script, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("the command", () => {
  test("plays the second form, and prints the routes and the project that a client needs", async () => {
    const child = run("--form", "record");
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
    });
    await until(() => output.includes("ROUTES="));
    const [, baseUrl = "", key = "", project = "", routes = ""] =
      /BASE_URL=(\S+)\nexport \S+KEY=(\S+)\nexport \S+PROJECT_ID=(\S+)\nexport \S+ROUTES='(.*)'\n/.exec(output) ?? [];
    const { startExport } = JSON.parse(routes);
    const start = await fetchUrl(baseUrl + startExport.replace("{projectId}", project), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"domain":"docs.example.com","basePath":"/docs"}',
    });
    expect(start).toMatchObject({ status: 202, json: { status: "queued", error: null } });
    expect(start.json.jobId).toMatch(/^[\da-f]{24}$/);
    child.kill("SIGTERM");
  });

  test("prints what to paste, then a line a request, and ends at once with exit 0", async () => {
    const child = run("--key", "svc_x", "--fault", "getExport:hang", "--agent-job", "docs/job-1");
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
    });
    await until(() => output.includes("completed\n"));
    expect(output).toMatch(
      /^export DOCS_PLATFORM_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport DOCS_PLATFORM_API_KEY=svc_x\n# agent job job-1 of project docs: completed\n$/,
    );
    const baseUrl = /BASE_URL=(\S+)/.exec(output)?.[1] ?? "";
    await fetchUrl(`${baseUrl}/v1/static-export/jobs`, { method: "POST" });
    await until(() => output.includes("POST /v1/static-export/jobs 401"));
    const headers = { authorization: "Bearer svc_x" };
    const hanging = fetchUrl(`${baseUrl}/v1/static-export/jobs/any`, { headers }).catch(() => "broken");
    const begun = performance.now();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await hanging).toBe("broken");
  });

  test("prints the OpenAPI document, and nothing else, on --openapi", async () => {
    const child = run("--openapi");
    const [[code], output] = await Promise.all([once(child, "exit"), child.stdout && text(child.stdout)]);
    expect([code, JSON.parse(output ?? "")]).toEqual([0, expect.objectContaining({ openapi: "3.1.0" })]);
  });
});

test("flags become options", () => {
  const line =
    "--port 8080 --key svc_x --job-time 5s --link-life 1m30s --agent-job docs/job-1 --agent-job docs/job-2 " +
    "--fault startExport:503:2 --fault getExport:reset --fault download:delay=250ms:3";
  expect(readCommandLine(line.split(" "))).toEqual({
    port: 8080,
    apiKey: "svc_x",
    jobTime: 5_000,
    linkLife: 90_000,
    agentJobs: [
      { projectId: "docs", id: "job-1" },
      { projectId: "docs", id: "job-2" },
    ],
    faults: [
      { operation: "startExport", kind: "status", status: 503, count: 2 },
      { operation: "getExport", kind: "reset", count: 1 },
      { operation: "download", kind: "delay", ms: 250, count: 3 },
    ],
  });
  expect(readCommandLine([])).toEqual({});
  expect(readCommandLine(["-h", "--port", "80"])).toBe("help");
});

test.each([
  ["--nope"],
  ["--port", "1.5"],
  ["--link-life", "-1s"],
  ["--fault", "startExport"],
  ["--fault", "nope:503"],
  ["--fault", "startExport:503:0"],
  ["--fault", "startExport:delay=x"],
  ["--agent-job", "docs"],
  ["--agent-job", "docs/job/1"],
  ["stray"],
])("flags are refused when wrong: %s %s", (...args) => {
  expect(() => readCommandLine(args)).toThrow(UsageError);
});

test("a duration is read in milliseconds", () => {
  const durations = ["90s", "1m30s", "1.5h", "250ms", "0", "", "5", "5 s", "1d", "-2s"];
  const [wrong, ...read] = [undefined, 90_000, 90_000, 5_400_000, 250, 0];
  expect(durations.map(parseMilliseconds)).toEqual([...read, wrong, wrong, wrong, wrong, wrong]);
});
