import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { ExportBundle } from "../../sdk/exportBundle";
import { helmValues } from "../../sdk/helmValues";
import { known, mockOutputs } from "./mocked";

const bundleUrl = "https://files.example.com/x.tar.gz?X-Amz-Signature=s3cr3t";

beforeAll(() => mockOutputs({ bundleUrl, version: "job-1" }));

let count = 0;
const newBundle = () => new ExportBundle(`bundle-${count++}`, { jobId: "job-1" });

describe("helmValues", () => {
  it("of a bundle has exactly the keys of the API text, and is secret as a whole", async () => {
    const values = helmValues({ bundle: newBundle() });
    expect(await known(values)).toStrictEqual({ staticExport: { enabled: true, bundleUrl, version: "job-1" } });
    expect(await pulumi.isSecret(values)).toBe(true);
  });

  it("stays secret in every part that is taken out of it", async () => {
    const values = helmValues({ bundle: newBundle(), enabled: true });
    const version = values.apply(({ staticExport }) => ("version" in staticExport ? staticExport.version : ""));
    expect(await known(version)).toBe("job-1");
    expect(await pulumi.isSecret(version)).toBe(true);
    expect(await pulumi.isSecret(values.staticExport)).toBe(true);
  });

  it.each<[string, pulumi.Input<string>]>([
    ["a text", "2026-11"],
    ["a promise", Promise.resolve("2026-11")],
    ["an output", pulumi.output("2026-11")],
  ])("pins the version that it is given, as %s", async (_, version) => {
    const values = helmValues({ bundle: newBundle(), version });
    expect(await known(values)).toStrictEqual({ staticExport: { enabled: true, bundleUrl, version: "2026-11" } });
    expect(await pulumi.isSecret(values)).toBe(true);
  });

  it("turned off has exactly the key enabled, with or without a bundle", async () => {
    for (const bundle of [undefined, newBundle()]) {
      const values = helmValues({ bundle, enabled: false, version: "2026-11" });
      expect(await known(values)).toStrictEqual({ staticExport: { enabled: false } });
    }
  });

  it.each([{}, { enabled: true }, { version: "2026-11" }])("refuses %j, which names no bundle", (args) => {
    expect(() => helmValues(args)).toThrow("helmValues: give a bundle, or enabled: false");
  });
});
