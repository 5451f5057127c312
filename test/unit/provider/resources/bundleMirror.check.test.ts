import { describe, expect, it } from "vitest";
import { unknown } from "../../../../provider/definitions/values";
import { checked } from "../../../support/decisions";

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

  it("takes every argument", () => {
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
