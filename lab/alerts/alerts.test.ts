import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formatOpenMetrics } from "../../provider/status/formatOpenMetrics";
import { toolTime } from "../../test/delivery/chart/helm";
import { readDocument } from "../../test/docs/documents";
import { campaign } from "../../test/support/campaign";
import { temporaryFolder } from "../../test/support/temporaryFolder";
import { getTool } from "../../tools/toolchain/getTool";

const labels = { stack: "docs", resource: "bundle" };
const fired = [{ exp_labels: labels }];
const interrupted = [{ exp_labels: { stack: "docs" } }];

describe.runIf(campaign)("Prometheus's own tool", () => {
  let promtool: string;
  beforeAll(async () => {
    promtool = await getTool("promtool");
  }, toolTime);

  const run = (args: readonly string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(promtool, args, { input, encoding: "utf8" });
    return { status, output: stdout + stderr };
  };

  it("has nothing against the metrics of a status", () => {
    const resources = [
      { resource: "bundle", type: "ExportBundle", expiresAt: "2026-11-24T04:30:00Z", renewAt: "2026-11-24T04:20:00Z" },
      { resource: "site", type: "StaticExport", tookSeconds: 42 },
      { resource: "copy", type: "BundleMirror", digest: "sha256:a", version: "job-1" },
    ];
    const metrics = formatOpenMetrics({
      healthy: true,
      stack: "docs",
      resources,
      interrupted: [],
      superseded: [],
      next: [],
    });
    expect(run(["check", "metrics"], metrics)).toEqual({ status: 0, output: "" });
    expect(run(["check", "metrics"], metrics.replaceAll("_seconds", "_minutes"))).not.toEqual({
      status: 0,
      output: "",
    });
  });

  it("accepts the alerts of the page: before a link ends, when it has ended, a start interrupted for an hour, and an old file", () => {
    const folder = temporaryFolder();
    const [rules] = readDocument("docs/operations.md").blocks.filter(({ language }) => language === "yaml");
    writeFileSync(join(folder, "rules.yml"), rules?.text ?? "");
    const expected = (alertname: string, minutes: number, exp_alerts: object[]) => ({
      alertname,
      eval_time: `${minutes}m`,
      exp_alerts,
    });
    const test = {
      interval: "1m",
      input_series: [
        // This link is due for renewal after 10 minutes, and expires after 40 minutes.
        { series: 'docs_platform_link_renewal_timestamp_seconds{stack="docs",resource="bundle"}', values: "600x120" },
        {
          series: 'docs_platform_link_expiration_timestamp_seconds{stack="docs",resource="bundle"}',
          values: "2400x120",
        },
        { series: 'node_textfile_mtime_seconds{file="/var/lib/docs.prom"}', values: "600x120" },
        { series: 'docs_platform_interrupted_starts{stack="docs"}', values: "0x9 1x110" },
      ],
      alert_rule_test: [
        expected("DocsLinkNotRenewed", 29, []),
        expected("DocsLinkNotRenewed", 30, fired),
        expected("DocsLinkExpired", 40, []),
        expected("DocsLinkExpired", 41, fired),
        expected("DocsStatusStale", 55, []),
        expected("DocsStatusStale", 56, [{ exp_labels: { file: "/var/lib/docs.prom" } }]),
        expected("DocsStartInterrupted", 69, []),
        expected("DocsStartInterrupted", 70, interrupted),
      ],
    };
    const tests = { rule_files: ["rules.yml"], evaluation_interval: "1m", tests: [test] };
    writeFileSync(join(folder, "tests.yml"), JSON.stringify(tests));
    expect(run(["test", "rules", join(folder, "tests.yml")])).toMatchObject({ status: 0 });
    expect(parse(rules?.text ?? "").groups[0].rules).toHaveLength(4);
  });
});
