import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { HeldState } from "../../../../provider/status/heldState";
import { historyOf } from "../../../../provider/status/history";
import { judge } from "../../../../provider/status/judge";
import { openMetrics } from "../../../../provider/status/openMetrics";
import { statusTable } from "../../../../provider/status/table";
import { metricsIn } from "../../../support/openMetrics";

const now = Date.parse("2026-11-24T04:00:00Z");

function stateOf(name: string, url = "https://cdn.example.com/docs.tar.gz"): HeldState {
  const values = { jobId: name, version: name, url, sha256: "a".repeat(64), mirroredAt: "2026-11-24T03:00:00Z" };
  const link = { jobId: name, issuedAt: "2026-11-24T03:00:00Z", expiresAt: "2026-11-24T04:30:00Z" };
  return {
    stack: name,
    resources: [
      { name, type: "BundleMirror", address: name, values },
      {
        name,
        type: "ExportBundle",
        address: name,
        values: { ...link, bundleUrl: "https://host/x?X-Amz-Signature=secret" },
      },
      { name, type: "StaticExport", address: name, values: { status: name, pageCount: { hidden: "as a secret" } } },
    ],
    cutOff: [{ name, address: name, since: undefined }],
    names: new Map(),
    journal: undefined,
  };
}

it("any name is one label of valid metrics, and no line of the table is longer than 100 columns or ends a line early", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (name) => {
      const report = judge(stateOf(name), [], now);
      const metrics = metricsIn(openMetrics(report));
      const labels = { stack: report.stack, resource: report.resources[0]?.resource };
      expect(metrics.docs_platform_mirror_info?.[0]?.labels).toMatchObject(labels);
      const lines = statusTable(report, now).split("\n");
      expect(lines).toHaveLength(3 + report.interrupted.length + 2);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    }),
  );
});

it("the job of an export stands whole in its line, however long the address of its resource is", () => {
  const [resource] = stateOf("site").resources.slice(2);
  const values = { jobId: "sej_0123456789abcdef0123", status: "completed", startedAt: "2026-11-24T03:00:00Z" };
  const address = `module.docs.docsplatform_static_export.${"x".repeat(40)}`;
  const state = { ...stateOf("docs"), resources: [{ ...resource, name: address, values }] as HeldState["resources"] };
  expect(statusTable(judge(state, [], now), now)).toContain(`completed  job ${values.jobId}, since`);
});

it.each(["https://user:secret@s3.example.com/docs.tar.gz?X-Amz-Signature=secret", "https://host/docs#secret"])(
  "%s is shown without credentials and signature",
  (url) => {
    const report = judge(stateOf("site", url), [], now);
    expect([JSON.stringify(report), statusTable(report, now), openMetrics(report)].join()).not.toContain("secret");
  },
);

it("the command that goes back is one word a value in a shell, whatever the job's id is", async () => {
  const hostile = "$(touch x)'; touch y";
  const site = (jobId: string) => ({
    name: "site",
    type: "StaticExport" as const,
    address: "",
    values: { jobId, status: "completed" },
  });
  const reader = {
    read: async () => stateOf("unused"),
    past: async () => [{ at: "2026-11-24T03:00:00.000Z", resources: [site(hostile)] }],
    goBack: (jobId: string, stack: string) => `printf '<%s>' ${jobId} ${stack}`,
  };
  const state = { ...stateOf("docs"), resources: [site("job-2")] };
  const { goBack = "" } = await historyOf(state, reader, { folder: ".", stack: undefined });
  expect(execFileSync("sh", ["-c", goBack], { encoding: "utf8" })).toBe(`<${hostile}><docs>`);
});

it("a vanished job has failed, and a value that the state keeps as a secret is left out", () => {
  const report = judge(stateOf("vanished"), [], now);
  expect(report).toMatchObject({ healthy: false, interrupted: [{ what: "vanished: create" }] });
  expect(report.resources[2]).toEqual({ resource: "vanished", type: "StaticExport", status: "vanished" });
});
