import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedProcess, startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { variant } from "../../support/campaign";
import { testPlatform } from "../../support/engineTest";
import { processesWithEnvironment } from "../../support/osProcesses";
import { fastStart } from "../../support/programFolder";
import { until } from "../../support/until";

const unset = { DOCS_PLATFORM_BASE_URL: "", DOCS_PLATFORM_API_KEY: "", DOCS_PLATFORM_DOMAIN: "" };

/** Runs the script that `npm start` runs after its build. */
function start(environment: NodeJS.ProcessEnv): StartedProcess {
  return startProcess(process.execPath, ["--import", "tsx", join("tools", "start", "main.ts")], {
    cwd: projectRoot,
    env: { ...process.env, ...unset, ...fastStart(), ...environment },
  });
}

afterAll(() => {
  const leftovers = readdirSync(projectRoot).filter((name) => name.startsWith(".quickstart-"));
  expect(leftovers, "folders that a run has left, however it ended").toEqual([]);
});

describe("npm start", () => {
  /**
   * The run with the embedded platform. This run mostly waits for its job and for the expiry of its link, so it starts
   * before all tests.
   */
  let embedded: StartedProcess;
  beforeAll(() => {
    embedded = start({});
  });

  variant(
    "with a configured platform runs against that one, skips the wait for a long-lived link, and shows the job",
    async () => {
      const platform = await testPlatform({ linkLife: 600_000 });
      const { code, output } = await start({
        DOCS_PLATFORM_BASE_URL: platform.baseUrl,
        DOCS_PLATFORM_API_KEY: platform.apiKey,
        DOCS_PLATFORM_DOMAIN: "docs.example.org",
      }).ended;
      expect(code, output).toBe(0);
      const [job] = platform.jobs.list();
      expect(platform).toMatchObject({ starts: 1, counts: { startExport: 1, createBundle: 1, download: 1 } });
      expect(job?.domain).toBe("docs.example.org");
      expect(output).toContain("renewal skipped: the link is good until");
      expect(output).toContain(`export job ${job?.jobId} stays on ${platform.baseUrl}`);
      expect(output).not.toContain("embedded");
    },
  );

  it("with a part of the configuration names what is missing, before anything is started", async () => {
    const { code, output } = await start({ DOCS_PLATFORM_BASE_URL: "http://127.0.0.1:9" }).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/set DOCS_PLATFORM_API_KEY and DOCS_PLATFORM_DOMAIN as well.*Nothing was started\.\s*$/s);
    expect(output).not.toContain("Updating");
  });

  variant("ends with the cause where it fails", async () => {
    const platform = await testPlatform();
    const { code, output } = await start({
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: "svc_wrong",
      DOCS_PLATFORM_DOMAIN: "docs.example.org",
    }).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/DOCS_AUTHENTICATION: .*Exists now: no export job.*What to do: set a valid key/s);
    expect(output).toMatch(/npm start failed: pulumi up ended with \d+; its own words are above\s*$/);
  });

  it.skipIf(!existsSync("/proc/self/environ"))("leaves no process behind after Ctrl-C", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const mark = randomBytes(8).toString("hex");
    const running = start({
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
      DOCS_PLATFORM_DOMAIN: "docs.example.org",
      QUICKSTART_MARK: mark,
    });
    await new Promise<void>((resolve) => {
      platform.on("request", ({ operation }) => operation === "getExport" && resolve());
    });
    expect(processesWithEnvironment(mark).length).toBeGreaterThan(1);
    running.child.kill("SIGINT");
    const { code, output } = await running.ended;
    expect(code).toBe(130);
    expect(output).toContain(`export job ${platform.jobs.list()[0]?.jobId} stays on`);
    // The last process may end a moment after the script.
    await until(() => processesWithEnvironment(mark).length === 0);
  });

  it("without configuration runs the whole life of a link against the embedded platform", async () => {
    const { code, output } = await embedded.ended;
    expect(code, output).toBe(0);
    const steps = output.slice(output.indexOf("requests  seconds  step"));
    expect(steps).toMatch(/pulumi up: .*\(1 start, \d+ polls?, 1 bundle\)/);
    expect(steps).toMatch(/^ {7}0 .*nothing changed$/m);
    expect(steps).toMatch(/^ {7}1 .*after the link expired.*\(1 bundle\)$/m);
    expect(steps).toMatch(/\nNext: your own stack:\nhttps:.*getting-started\.md\n$/);
    expect(output).not.toMatch(/^@ |pulumi-nodejs/m);
    expect(output).toMatch(/bundle: [1-9]\d+ bytes, sha256 [0-9a-f]{64}/);
    expect(output).toMatch(/Helm values \(mode 600\): enabled true/);
    expect(output).not.toMatch(/X-Amz-Signature=/);
  });
});
