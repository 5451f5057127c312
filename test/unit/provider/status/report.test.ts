import fc from "fast-check";
import { expect, it } from "vitest";
import { startEntryPrefix } from "../../../../provider/journal/journal";
import { formatOpenMetrics } from "../../../../provider/status/formatOpenMetrics";
import { formatStatusTable } from "../../../../provider/status/formatStatusTable";
import type { StackSnapshot } from "../../../../provider/status/stackSnapshot";
import { type JournalEntryWithWriterAlive, makeStatusReport } from "../../../../provider/status/statusReport";
import { printableLines } from "../../../../provider/support/printable";
import { campaign } from "../../../support/campaign";
import { expectHarmless, hostileText } from "../../../support/hostileText";
import { parseOpenMetrics } from "../../../support/parseOpenMetrics";

const now = Date.parse("2026-11-24T04:00:00Z");

function stateOf(name: string, url = "https://cdn.example.com/docs.tar.gz"): StackSnapshot {
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
    cutOff: [{ name, address: name, since: name, next: name }],
    names: new Map([["address", name]]),
    journal: undefined,
  };
}

function entriesOf(name: string): JournalEntryWithWriterAlive[] {
  const owner = { host: name, pid: 1, began: "", engine: "" };
  const entry = { intendedAt: now, idempotencyKey: "k", owner, isAtWork: false };
  return [`${startEntryPrefix("address", 1)}.0123456789ab`, `${startEntryPrefix("address", 2)}.0123456789ab`].map(
    (start, number) => ({
      ...entry,
      name: start,
      ...(number === 0 && { id: name }),
    }),
  );
}

it("any name is one label of valid metrics, and no line of the table is longer than 100 columns or ends a line early", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), hostileText), (name) => {
      const report = makeStatusReport(stateOf(name), entriesOf(name), now, name);
      const metrics = parseOpenMetrics(formatOpenMetrics(report));
      const labels = { stack: report.stack, resource: report.resources[0]?.resource };
      expect(metrics.docs_platform_mirror_info?.[0]?.labels).toMatchObject(labels);
      const [rows = "", end = ""] = formatStatusTable(report, now).split("not healthy: ");
      // Only the first line of a row has no indent, so the test counts the lines without an indent.
      expect(rows.split("\n").filter((line) => /^(?! {4}).*\S/.test(line))).toHaveLength(3 + report.interrupted.length);
      expect(Math.max(...`${rows}${end}`.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    }),
    { numRuns: campaign ? 1_000 : 30 },
  );
});

it("no character of a state, a journal, a destination or an error controls the terminal that shows it", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const report = makeStatusReport(stateOf(text), entriesOf(text), now, text);
      for (const shown of [
        formatStatusTable(report, now),
        formatOpenMetrics(report),
        JSON.stringify(report, undefined, 2),
      ]) {
        for (const line of printableLines(shown).split("\n")) {
          expectHarmless(line);
        }
      }
    }),
  );
});

it("the job of an export stands whole in its line, however long the address of its resource is", () => {
  const [resource] = stateOf("site").resources.slice(2);
  const values = { jobId: "sej_0123456789abcdef0123", status: "completed", startedAt: "2026-11-24T03:00:00Z" };
  const address = `module.docs.docsplatform_static_export.${"x".repeat(40)}`;
  const state = {
    ...stateOf("docs"),
    resources: [{ ...resource, name: address, values }] as StackSnapshot["resources"],
  };
  expect(formatStatusTable(makeStatusReport(state, [], now), now)).toContain(`completed  job ${values.jobId},\n`);
});

it.each(["https://user:secret@s3.example.com/docs.tar.gz?X-Amz-Signature=secret", "https://host/docs#secret"])(
  "%s is shown without credentials and signature",
  (url) => {
    const report = makeStatusReport(stateOf("site", url), [], now);
    expect([JSON.stringify(report), formatStatusTable(report, now), formatOpenMetrics(report)].join()).not.toContain(
      "secret",
    );
  },
);

it("a vanished job has failed, and a value that the state keeps as a secret is left out", () => {
  const report = makeStatusReport(stateOf("vanished"), [], now);
  expect(report).toMatchObject({ healthy: false, interrupted: [{ what: "vanished: create" }] });
  expect(report.resources[2]).toEqual({ resource: "vanished", type: "StaticExport", status: "vanished" });
});
