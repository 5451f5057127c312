import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { unknown } from "../../../../provider/definitions/values";
import { planned, unchanged } from "../../../support/decisions";

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

const none = unchanged;
const kept = { ...none, action: "update" };
const transferred = {
  ...kept,
  changingOutputs: ["url", "sha256", "sizeBytes", "format", "mirroredAt", "digest", "signedBy"],
};
const unknowns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, unknown]));

const diff = (before: BundleMirrorState, changed: object) =>
  planned("BundleMirror", before, { ...inputs, layout: before.layout, ...changed } as BundleMirrorInputs, 0);

describe("diff", () => {
  it.each([state, site])("finds nothing where nothing changed, however old the mirror is", (before) => {
    expect(diff(before, {})).toEqual(none);
    expect(diff(before, { version: "job-1" })).toEqual(none);
  });

  it("of an archive replaces it for another job, so that the old one stays until the end", () => {
    expect(diff(state, { jobId: "job-2" })).toEqual({ ...transferred, action: "replace", replaces: ["jobId"] });
  });

  it("of a site updates it in place for another job", () => {
    expect(diff(site, { jobId: "job-2" })).toEqual(transferred);
  });

  it.each([state, site])("replaces a mirror for another destination or layout", (before) => {
    const layout = before.layout === "site" ? "archive" : "site";
    expect(diff(before, { destination: "s3://docs" }).replaces).toEqual(["destination"]);
    expect(diff(before, { layout }).replaces).toEqual(["layout"]);
  });

  it.each(["expectedSha256", "publicUrl", "maxBytes", "waitTimeout"] as const)(
    "updates in place for a change of %s, and for its end",
    (name) => {
      expect(diff(state, { [name]: "x" })).toMatchObject({ action: "update" });
      expect(diff({ ...state, [name]: "x" }, { [name]: "x" })).toEqual(none);
      expect(diff({ ...state, [name]: "x" }, {})).toMatchObject({ action: "update" });
    },
  );

  it("tells a transfer, which may change everything, from a change of the address alone", () => {
    expect(diff(state, { expectedSha256: "b".repeat(64) })).toEqual(transferred);
    expect(diff(state, { expectedSha256: "A".repeat(64) })).toEqual(kept);
    expect(diff({ ...state, expectedSha256: state.sha256 }, {})).toEqual(kept);
    expect(diff(state, { publicUrl: "https://cdn.example.com" })).toEqual({ ...kept, changingOutputs: ["url"] });
  });

  it("updates in place what a refresh has found to differ", () => {
    const differing = { ...state, __difference: "2 files differ: a.html, b.css" };
    const reason = "2 files differ: a.html, b.css: will be repaired";
    expect(diff(differing, {})).toEqual({ ...transferred, reason });
  });

  it("counts what is not known yet as changed", () => {
    for (const name of ["destination", "layout"]) {
      expect(diff(state, unknowns(name)).replaces).toEqual([name]);
      expect(diff(site, unknowns(name)).replaces).toEqual([name]);
    }
    expect(diff(state, unknowns("jobId", "version"))).toEqual({
      ...transferred,
      action: "replace",
      replaces: ["jobId"],
    });
    expect(diff(site, unknowns("jobId", "version"))).toEqual(transferred);
    expect(diff(state, unknowns("expectedSha256"))).toEqual(transferred);
    expect(diff(state, unknowns("publicUrl"))).toEqual({ ...kept, changingOutputs: ["url"] });
  });
});
