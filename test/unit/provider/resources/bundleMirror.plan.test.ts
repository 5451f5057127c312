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

  it("accepts every argument", () => {
    const all = {
      ...good,
      expectedSha256: "Ab".repeat(32),
      layout: "site",
      publicUrl: "http://docs.internal/x",
      maxBytes: 1024,
      waitTimeout: "1h30m",
    };
    expect(check(all)).toEqual({ inputs: { ...all, version: "job-1" }, failures: [] });
  });

  it("lets pass what is not known yet", () => {
    const values = {
      jobId: unknown,
      destination: unknown,
      expectedSha256: unknown,
      layout: unknown,
      publicUrl: unknown,
    };
    expect(check(values).failures).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["jobId", { destination: "file:///srv/docs" }],
    ["jobId", { ...good, jobId: " " }],
    ["jobId", { ...good, jobId: ".." }],
    ["destination", { jobId: "job-1" }],
    ["destination", { ...good, destination: 7 }],
    ["destination", { ...good, destination: "https://example.com" }],
    ["destination", { ...good, destination: "srv/docs" }],
    ["destination", { ...good, destination: "file:///srv/../docs" }],
    ["destination", { ...good, destination: "s3://user:secret@docs" }],
    ["destination", { ...good, destination: "s3://docs?secretAccessKey=secret" }],
    ["destination", { ...good, destination: "oci://registry.example.com/docs:latest" }],
    ["publicUrl", { ...good, destination: "oci://registry.example.com/docs", publicUrl: "https://cdn.example.com" }],
    ["expectedSha256", { ...good, expectedSha256: "ab" }],
    ["expectedSha256", { ...good, expectedSha256: "g".repeat(64) }],
    ["layout", { ...good, layout: "folder" }],
    ["publicUrl", { ...good, publicUrl: "cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "ftp://cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://user:secret@cdn.example.com" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/?secret" }],
    ["publicUrl", { ...good, publicUrl: "https://cdn.example.com/#a" }],
    ["maxBytes", { ...good, maxBytes: 0 }],
    ["maxBytes", { ...good, maxBytes: 1.5 }],
    ["maxBytes", { ...good, maxBytes: "8GiB" }],
    ["waitTimeout", { ...good, waitTimeout: "0" }],
    ["waitTimeout", { ...good, waitTimeout: 30 }],
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

  it("replaces an archive for another job, so that the old archive stays until the end", () => {
    expect(diff(state, { jobId: "job-2" })).toEqual({ ...transferred, action: "replace", replaces: ["jobId"] });
  });

  it("updates a site in place for another job", () => {
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

  it("distinguishes a transfer, which may change everything, from a change of the address alone", () => {
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
