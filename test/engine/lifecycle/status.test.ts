import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import type { EngineStack } from "../../support/engineStack";
import { siteAndBundle, stackAfterUp, testPlatform, testStack } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { signatureMark } from "../../support/leaks";
import { parseOpenMetrics } from "../../support/parseOpenMetrics";
import { runStatus } from "../../support/runStatus";
import { until } from "../../support/until";

const hour = 3_600_000;
const site = { site: { domain: "docs.example.com" } };
const beginUp = (stack: EngineStack) => stack.start("up", "--yes", "--skip-preview");

describe("status of a Pulumi stack, which sends nothing and shows no link and no key,", () => {
  it("shows a link that is good, due and expired, and a mirror", async () => {
    const destination = mkdtempSync(join(tmpdir(), "status-mirror-"));
    onTestFinished(() => rmSync(destination, { recursive: true, force: true }));
    const platform = await testPlatform({ linkLife: hour });
    const stack = await stackAfterUp(platform, {
      ...siteAndBundle,
      copy: { destination: `file://${destination}` },
    });
    const { jobId, expiresAt } = await stack.outputs();
    const sent = platform.requests.length;
    const ofLink = async (ahead: number) => {
      const { code, stdout } = await runStatus(stack, { flags: ["--json"], ahead });
      const report = JSON.parse(stdout);
      return {
        code,
        report,
        link: report.resources.find(({ resource }: { resource: string }) => resource === "bundle"),
      };
    };
    const { code, report, link } = await ofLink(0);
    expect(report).toMatchObject({ healthy: true, stack: "test", interrupted: [] });
    expect({ code, ...link }).toMatchObject({
      code: 0,
      type: "ExportBundle",
      jobId,
      version: jobId,
      expiresAt,
      link: "good",
    });
    expect(Date.parse(link.expiresAt) - Date.parse(link.renewAt)).toBe(10 * 60_000);
    expect(report.resources).toContainEqual(
      expect.objectContaining({
        resource: "site",
        status: "completed",
        tookSeconds: expect.any(Number),
        pageCount: expect.any(Number),
      }),
    );
    expect(report.resources).toContainEqual(
      expect.objectContaining({
        resource: "copy",
        url: expect.stringMatching(/^file:/),
        sha256: expect.stringMatching(/^\w{64}$/),
      }),
    );
    expect(await ofLink(hour - 5 * 60_000)).toMatchObject({
      code: 0,
      link: { link: "due" },
      report: { healthy: true },
    });
    expect(await ofLink(hour)).toMatchObject({
      code: 1,
      link: { link: "expired", secondsLeft: 0 },
      report: { healthy: false },
    });

    const executable = join(projectRoot, "plugin", "pulumi-resource-docs-platform");
    const ofPlugin = await runStatus(stack, { executable, flags: ["--json"], ahead: hour });
    expect([ofPlugin.code, JSON.parse(ofPlugin.stdout).resources.length]).toEqual([1, 3]);

    const table = await runStatus(stack, { ahead: hour });
    expect(table.stdout, table.output).toMatch(/^bundle +link +expired +ends /m);
    expect(table.stdout).toMatch(/\nnot healthy: 1 expired\. Next: `pulumi up`\n$/);
    expect(Math.max(...table.stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    const metrics = parseOpenMetrics((await runStatus(stack, { flags: ["--openmetrics"] })).stdout);
    expect(metrics).toMatchObject({
      docs_platform_link_expiration_timestamp_seconds: [
        { labels: { stack: "test", resource: "bundle" }, value: Date.parse(String(expiresAt)) / 1_000 },
      ],
      docs_platform_mirror_info: [{ labels: { resource: "copy", version: jobId }, value: 1 }],
      docs_platform_interrupted_starts: [{ labels: { stack: "test" }, value: 0 }],
    });
    const shown = [JSON.stringify(report), table.output].join();
    expect(shown).not.toContain(platform.apiKey);
    expect(shown).not.toMatch(signatureMark);
    expect(platform.requests).toHaveLength(sent);
  });

  it("shows a failed export", async () => {
    const stack = await testStack(await testPlatform({ failJobs: "out of memory" }), site);
    await stack.up();
    const { code, stdout } = await runStatus(stack);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^site +export +failed .*[\s\S]*1 failed/),
    });
  });

  it("shows a start whose run was killed, until a run has continued with it, and none that is at work", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const report = async (...flags: string[]) => {
      const { code, stdout } = await runStatus(stack, { flags: ["--json", ...flags] });
      return { code, ...JSON.parse(stdout) };
    };
    expect(await report()).toMatchObject({ code: 1, healthy: false, resources: [], interrupted: [] });
    expect((await runStatus(stack)).stdout).toMatch(/^not healthy: no resource of this provider /);
    const running = beginUp(stack);
    await until(() => platform.counts.getExport > 0);
    const whileRunning = await report();
    killAll(stack);
    await running.ended;
    const sent = platform.requests.length;
    const [started] = platform.jobs.list();
    const entry = { what: "site: start", id: started?.jobId, since: expect.any(String), machine: hostname() };
    expect(await report()).toMatchObject({ code: 1, healthy: false, interrupted: [entry] });
    expect((await runStatus(stack)).stdout).toMatch(/\nnot healthy: 1 interrupted\. Next: `pulumi up`\n$/);
    expect(platform.requests).toHaveLength(sent);
    expect(whileRunning.interrupted).toEqual([]);

    // Even after a successful run, the engine keeps its note about the interrupted create. `status` must then ignore
    // the note.
    platform.jobs.complete(String(started?.jobId));
    await stack.pulumi("cancel", "--yes");
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(1);
    expect(await report()).toMatchObject({ code: 0, healthy: true, interrupted: [] });

    // The run with the revision `b2` is killed. The run with `c3` has other inputs, so it does not continue the job of
    // `b2`. `status` must show that job before and after the run with `c3`.
    platform.jobTime = 60_000;
    const polls = platform.counts.getExport;
    stack.declare({ site: { domain: "docs.example.com", triggers: { revision: "b2" } } });
    const replacing = beginUp(stack);
    await until(() => platform.counts.getExport > polls);
    killAll(stack);
    await replacing.ended;
    const [, second] = platform.jobs.list();
    expect(await report()).toMatchObject({ code: 1, interrupted: [{ ...entry, id: second?.jobId }] });
    stack.declare({ site: { domain: "docs.example.com", triggers: { revision: "c3" } } });
    platform.jobTime = 0;
    await stack.pulumi("cancel", "--yes");
    const { code, output } = await stack.up();
    const [, diagnostics = ""] = output.split("\nDiagnostics:\n");
    expect([code, diagnostics.split(String(second?.jobId)).length - 1], output).toEqual([0, 1]);
    expect(await report()).toMatchObject({ code: 0, interrupted: [], superseded: [{ ...entry, id: second?.jobId }] });
    expect(platform.starts).toBe(3);
  });

  it("of a create that was cut off and is in no journal here advises no command that starts a second job", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = beginUp(stack);
    await until(() => platform.counts.getExport > 0);
    killAll(stack);
    await running.ended;
    await stack.moveToNewMachine();
    const { code, stdout } = await runStatus(stack);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^site: create +interrupted /)]);
    const [, advice = ""] = stdout.replace(/\n +/g, " ").split("Next: ");
    expect(advice).toBe(
      "look on the platform for the export job of site: if there is one, adopt it by jobId; if there is none, run `pulumi refresh --clear-pending-creates`, then `pulumi up`\n",
    );
    await stack.pulumi("cancel", "--yes");
    // The advice names this command for a start that created no job.
    expect(await stack.refresh("--clear-pending-creates")).toMatchObject({ code: 0 });
    expect(await runStatus(stack)).toMatchObject({ code: 1, stdout: expect.not.stringContaining("interrupted") });
  });

  it("says what to do where nothing can be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "status-none-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { code, stdout, output } = await runStatus({ folder, environment: {} });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(output).toContain("What to do: run it in the folder of the project");
    const asked = { folder, environment: {} };
    const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    expect(await runStatus(asked, { flags: ["--version"] })).toMatchObject({ code: 0, stdout: `${version}\n` });
    const help = await runStatus(asked, { flags: ["--help"] });
    expect([help.code, Math.max(...help.stdout.split("\n").map(({ length }) => length))]).toEqual([0, 99]);
    expect(help.stdout).toContain("  --json         prints JSON");
    const unknown = await runStatus({ folder, environment: {} }, { flags: ["--everything"] });
    expect(unknown).toMatchObject({
      code: 2,
      output: expect.stringContaining("What to do: npx pulumi-docs-platform status"),
    });
  });
});
