import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { siteAndBundle, stackAfterUp, testPlatform, testStack } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { signatureMark } from "../../support/leaks";
import { metricsIn } from "../../support/openMetrics";
import { runStatus } from "../../support/statusRun";
import { temporaryFolder } from "../../support/temporaryFolder";
import { until } from "../../support/until";

const hour = 3_600_000;
const site = { site: { domain: "docs.example.com" } };

describe("status of a Pulumi stack, which sends nothing and shows no link and no key,", () => {
  it("tells a link that is good, due and expired, and a mirror", async () => {
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
    expect(table.stdout).toMatch(/^bundle +link +expired +ends /m);
    expect(table.stdout).toMatch(/\nnot healthy: 1 expired\. Next: `pulumi up`\n$/);
    expect(Math.max(...table.stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    const metrics = metricsIn((await runStatus(stack, { flags: ["--openmetrics"] })).stdout);
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

  it("tells a failed export", async () => {
    const stack = await testStack(await testPlatform({ failJobs: "out of memory" }), site);
    await stack.up();
    const { code, stdout } = await runStatus(stack);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^site +export +failed .*[\s\S]*1 failed/),
    });
  });

  it("tells a start whose run was killed, but none that is at work", async () => {
    const platform = await testPlatform({ jobTime: 60_000 });
    const stack = await testStack(platform, site);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    const whileRunning = await runStatus(stack, { flags: ["--json"] });
    killAll(stack);
    await running.ended;
    const sent = platform.requests.length;
    const { code, stdout } = await runStatus(stack, { flags: ["--json"] });
    const [started] = platform.jobs.list();
    const entry = { what: "site: start", id: started?.jobId, since: expect.any(String), machine: hostname() };
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      report: { healthy: false, interrupted: [entry] },
    });
    expect(platform.requests).toHaveLength(sent);
    expect({ code: whileRunning.code, report: JSON.parse(whileRunning.stdout) }).toMatchObject({
      code: 0,
      report: { interrupted: [] },
    });
  });

  it("tells with --history which jobs it has served, where their bundles are, and how to go back", async () => {
    const [destination, aside] = [temporaryFolder(), temporaryFolder()];
    const platform = await testPlatform();
    const at = (revision: string) => ({
      site: { domain: "docs.example.com", triggers: { revision } },
      copy: { destination: `file://${destination}` },
    });
    const stack = await stackAfterUp(platform, at("a1"));
    cpSync(destination, aside, { recursive: true });
    stack.declare(at("b2"));
    expect(await stack.up()).toMatchObject({ code: 0 });
    // As `retainOnDelete` does.
    cpSync(aside, destination, { recursive: true });
    const [first, second] = platform.jobs.list().map(({ jobId }) => jobId);
    const sent = platform.requests.length;
    const { code, stdout } = await runStatus(stack, { flags: ["--history", "--json"] });
    const known = { resource: "site", since: expect.stringMatching(/Z$/), mirror: `file://${destination}` };
    const goBack = `pulumi config set jobId ${first} --stack test && pulumi up --stack test`;
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 0,
      stack: "test",
      history: [
        { ...known, jobId: second, revision: "b2", isCurrent: true },
        { ...known, jobId: first, revision: "a1" },
      ],
      goBack,
      unread: [],
    });
    const table = await runStatus(stack, { flags: ["--history"] });
    expect(table.stdout).toMatch(/^site {2}\S+ {2}served now, since .* revision b2, in file:/);
    expect(table.stdout).toContain(`To go back: \`${goBack}\``);
    expect(platform.requests).toHaveLength(sent);
  });

  it("says what to do where nothing can be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "status-none-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { code, stdout, output } = await runStatus({ folder, environment: {} });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(output).toContain("What to do: run it in the folder of the project");
    const unknown = await runStatus({ folder, environment: {} }, { flags: ["--everything"] });
    expect(unknown).toMatchObject({
      code: 2,
      output: expect.stringContaining("What to do: npx pulumi-docs-platform status"),
    });
  });
});
