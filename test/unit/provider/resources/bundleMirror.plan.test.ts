import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { unknown } from "../../../../provider/definitions/values";
import { checked, planned, unchanged } from "../../../support/decisions";

const good = { jobId: "job-1", destination: "file:///srv/docs" };
const check = (inputs: Record<string, unknown>) => checked("BundleMirror", inputs, undefined);

describe("check", () => {
  it("fills the version from the job's id, and the layout, so that both are known in a preview", () => {
    expect(check(good)).toEqual({ inputs: { ...good, layout: "archive", version: "job-1" }, failures: [] });
    expect(check({ ...good, jobId: unknown })).toEqual({
      inputs: { ...good, jobId: unknown, layout: "archive", version: unknown },
      failures: [],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["jobId", { destination: "file:///srv/docs" }],
    ["jobId", { ...good, jobId: " " }],
    ["destination", { jobId: "job-1" }],
    ["destination", { ...good, destination: "https://example.com" }],
    ["destination", { ...good, destination: "s3://user:secret@docs" }],
    ["destination", { ...good, destination: "s3://docs?secretAccessKey=secret" }],
    ["publicUrl", { ...good, destination: "oci://registry.example.com/docs", publicUrl: "https://cdn.example.com" }],
    ["expectedSha256", { ...good, expectedSha256: "ab" }],
    ["expectedSha256", { ...good, expectedSha256: "g".repeat(64) }],
    ["layout", { ...good, layout: "folder" }],
    ["publicUrl", { ...good, publicUrl: "cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://user:secret@cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/?secret" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/#a" }],
    ["maxBytes", { ...good, maxBytes: 0 }],
    ["maxBytes", { ...good, maxBytes: 1.5 }],
    ["maxBytes", { ...good, maxBytes: "8GiB" }],
    ["waitTimeout", { ...good, waitTimeout: "0" }],
    ["version", { ...good, version: "v2" }],
  ])("refuses a bad %s by name, and shows no secret: %o", (property, inputs) => {
    const { failures } = check(inputs);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(failures[0]?.reason).not.toContain("secret");
  });
});

const inputs: BundleMirrorInputs = { jobId: "job-1", destination: "file:///srv/docs", layout: "archive" };
const state: BundleMirrorState = {
  ...inputs,
  url: "file:///srv/docs/job-1.tar.gz",
  sha256: "a".repeat(64),
  sizeBytes: 9,
  format: "tar.gz",
  version: "job-1",
  mirroredAt: "2026-03-01T00:00:00.000Z",
  __origin: "https://api.example.com",
  __owner: "this mirror",
  __publication: "0".repeat(32),
  __address: "file:///srv/docs/job-1.tar.gz",
};
const site: BundleMirrorState = { ...state, layout: "site" };

const kept = { ...unchanged, action: "update" };
const transferred = {
  ...kept,
  changingOutputs: ["url", "sha256", "sizeBytes", "format", "mirroredAt", "digest", "signedBy"],
};
const readdressed = { ...kept, changingOutputs: ["url"] };
const replaced = (name: string) => ({ action: "replace", replaces: [name] });
const jobUnknown = { jobId: unknown, version: unknown };
const differs = "2 files differ: a.html, b.css";
const limited = { maxBytes: 1024, waitTimeout: "1m" };

const table: [what: string, before: BundleMirrorState, changed: object, decision: object][] = [
  ["nothing", state, {}, unchanged],
  ["nothing of a site, with the version that a check fills in", site, { version: "job-1" }, unchanged],
  [
    "the job of an archive, which stays until the end",
    state,
    { jobId: "job-2" },
    { ...transferred, ...replaced("jobId") },
  ],
  ["the job of a site, which changes in place", site, { jobId: "job-2" }, transferred],
  ["the destination of an archive", state, { destination: "s3://docs" }, replaced("destination")],
  ["the destination of a site", site, { destination: "s3://docs" }, replaced("destination")],
  ["the layout of an archive", state, { layout: "site" }, replaced("layout")],
  ["the layout of a site", site, { layout: "archive" }, replaced("layout")],
  ["expectedSha256, to that of other bytes", state, { expectedSha256: "b".repeat(64) }, transferred],
  ["expectedSha256, to that of the same bytes", state, { expectedSha256: "A".repeat(64) }, kept],
  ["expectedSha256, which is removed", { ...state, expectedSha256: state.sha256 }, {}, kept],
  ["publicUrl", state, { publicUrl: "https://cdn.example.com" }, readdressed],
  ["maxBytes and waitTimeout", state, limited, kept],
  ["maxBytes and waitTimeout, which stay", { ...state, ...limited }, limited, unchanged],
  ["maxBytes and waitTimeout, which are removed", { ...state, ...limited }, {}, kept],
  [
    "what a refresh has found",
    { ...state, __difference: differs },
    {},
    { ...transferred, reason: `${differs}: will be repaired` },
  ],
  ["a destination that is not known yet", state, { destination: unknown }, replaced("destination")],
  ["the layout of a site, which is not known yet", site, { layout: unknown }, replaced("layout")],
  ["the job of an archive, which is not known yet", state, jobUnknown, { ...transferred, ...replaced("jobId") }],
  ["the job of a site, which is not known yet", site, jobUnknown, transferred],
  ["expectedSha256, which is not known yet", state, { expectedSha256: unknown }, transferred],
  ["publicUrl, which is not known yet", state, { publicUrl: unknown }, readdressed],
];

it.each(table)("the plan of a mirror for a change of %s", (_, before, changed, decision) => {
  const given = { ...inputs, layout: before.layout, ...changed };
  expect(planned("BundleMirror", before, given, 0)).toMatchObject(decision);
});
