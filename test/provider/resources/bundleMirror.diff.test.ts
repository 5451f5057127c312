import { describe, expect, it } from "vitest";
import { bundleMirror } from "../../../provider/resources/bundleMirror";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/resources/bundleMirrorState";
import { unknown } from "../../../provider/resources/lifecycle";

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
  __mirror: "0".repeat(16),
  __address: "file:///srv/docs/job-1.tar.gz",
};
const site: BundleMirrorState = { ...state, layout: "site" };

const diff = (before: BundleMirrorState, changed: object) =>
  bundleMirror.diff(before, { ...inputs, layout: before.layout, ...changed } as BundleMirrorInputs, 0);

describe("diff", () => {
  it.each([state, site])("finds nothing where nothing changed, however old the mirror is", (before) => {
    expect(diff(before, {})).toEqual({ replaces: [], update: false });
    expect(diff(before, { version: "job-1" })).toEqual({ replaces: [], update: false });
  });

  it("of an archive replaces it for another job, so that the old one stays until the end", () => {
    expect(diff(state, { jobId: "job-2" }).replaces).toEqual(["jobId"]);
  });

  it("of a site updates it in place for another job", () => {
    expect(diff(site, { jobId: "job-2" })).toEqual({ replaces: [], update: true });
  });

  it.each([state, site])("replaces a mirror for another destination or layout", (before) => {
    const layout = before.layout === "site" ? "archive" : "site";
    expect(diff(before, { destination: "s3://docs" }).replaces).toEqual(["destination"]);
    expect(diff(before, { layout }).replaces).toEqual(["layout"]);
  });

  it.each(["expectedSha256", "publicUrl"] as const)("updates in place for a change of %s, and for its end", (name) => {
    expect(diff(state, { [name]: "x" })).toEqual({ replaces: [], update: true });
    expect(diff({ ...state, [name]: "x" }, { [name]: "x" })).toEqual({ replaces: [], update: false });
    expect(diff({ ...state, [name]: "x" }, {})).toEqual({ replaces: [], update: true });
  });

  it("updates in place what a refresh has found to differ", () => {
    expect(diff({ ...state, __differs: true }, {})).toEqual({ replaces: [], update: true });
  });

  it("counts what is not known yet as unchanged", () => {
    const changed = {
      jobId: unknown,
      destination: unknown,
      layout: unknown,
      expectedSha256: unknown,
      publicUrl: unknown,
    };
    expect(diff(state, changed)).toEqual({ replaces: [], update: false });
    expect(diff(site, changed)).toEqual({ replaces: [], update: false });
  });
});
