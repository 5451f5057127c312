import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentMessage, BundleMirror, ExportBundle, helmValues, StaticExport } from "../../../sdk";
import { known, mockOutputs } from "./mocked";

const url = "https://cdn.example.com/docs/job-1.tar.gz";
beforeAll(() => mockOutputs({ url, version: "job-1" }));

let count = 0;
const newMirror = () => new BundleMirror(`mirror-${count++}`, { jobId: "job-1", destination: "s3://docs" });

describe("BundleMirror", () => {
  it("is known as its own kind and as no other, also from another copy of this package", () => {
    class Twin extends pulumi.CustomResource {}
    expect(BundleMirror.isInstance(newMirror())).toBe(true);
    expect(BundleMirror.isInstance(new Twin("pulumi-nodejs:dynamic/docs-platform:BundleMirror", "twin"))).toBe(true);
    expect(BundleMirror.isInstance(new ExportBundle("bundle", { jobId: "job-1" }))).toBe(false);
    for (const other of [StaticExport, ExportBundle, AgentMessage]) {
      expect(other.isInstance(newMirror())).toBe(false);
    }
    for (const value of [undefined, null, {}, BundleMirror]) {
      expect(BundleMirror.isInstance(value)).toBe(false);
    }
  });

  it("has no static get, which would have nothing to look at", () => {
    expect(Object.hasOwn(BundleMirror, "get")).toBe(false);
  });

  it("is what helmValues takes for a mirror: its values are readable", async () => {
    const values = helmValues({ mirror: newMirror() });
    expect(await known(values)).toStrictEqual({ staticExport: { enabled: true, bundleUrl: url, version: "job-1" } });
    expect(await pulumi.isSecret(values)).toBe(false);
  });

  it("keeps the caller's options", async () => {
    const parent = newMirror();
    const child = new BundleMirror("child", { jobId: "job-1", destination: "s3://docs" }, { parent });
    expect(await known(child.urn)).toContain("BundleMirror$");
  });
});
