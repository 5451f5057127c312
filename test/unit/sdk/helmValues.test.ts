import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { plainHelmValues, requireMirrorFetchableByChart } from "../../../provider/functions/helmValues";
import { ExportBundle } from "../../../sdk/exportBundle";
import { helmValues } from "../../../sdk/helmValues";
import { known, mockOutputs } from "./mocked";

const bundleUrl = "https://files.example.com/x.tar.gz?X-Amz-Signature=s3cr3t";

beforeAll(() => mockOutputs({ bundleUrl, version: "job-1" }));

let count = 0;
const newBundle = () => new ExportBundle(`bundle-${count++}`, { jobId: "job-1" });

describe("helmValues", () => {
  it("has exactly the keys of the API text for a bundle, and is secret as a whole", async () => {
    const values = helmValues({ bundle: newBundle() });
    expect(await known(values)).toStrictEqual({ staticExport: { enabled: true, bundleUrl, version: "job-1" } });
    expect(await pulumi.isSecret(values)).toBe(true);
  });

  it("stays secret in every part that is removed from it", async () => {
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

  it("turned off has exactly the key enabled, and is secret with a bundle nevertheless", async () => {
    for (const bundle of [undefined, newBundle()]) {
      const values = helmValues({ bundle, enabled: false, version: "2026-11" });
      expect(await known(values)).toStrictEqual({ staticExport: { enabled: false } });
      expect(await pulumi.isSecret(values)).toBe(bundle !== undefined);
    }
  });

  it.each([{}, { enabled: true }, { version: "2026-11" }])("refuses %j, which names no bundle", (args) => {
    expect(() => helmValues(args)).toThrow("helmValues: give a bundle or a mirror");
  });

  it.each([undefined, true])("refuses a bundle and a mirror at once, by that reason (sha256: %s)", (sha256) => {
    const mirror = mirrorAt("https://cdn.example.com/x.tar.gz");
    expect(() => helmValues({ bundle: newBundle(), mirror, sha256 })).toThrow("not both");
  });
});

function mirrorAt(url: string, layout?: string) {
  return { url: pulumi.output(url), version: pulumi.output("job-1"), layout: pulumi.output(layout) };
}

describe("helmValues of a mirror", () => {
  it("has the same keys, and is readable", async () => {
    const url = "https://cdn.example.com/docs/job-1.tar.gz";
    const values = helmValues({ mirror: mirrorAt(url) });
    expect(await known(values)).toStrictEqual({ staticExport: { enabled: true, bundleUrl: url, version: "job-1" } });
    expect(await pulumi.isSecret(values)).toBe(false);
  });

  it("is secret nevertheless where its address is a signed link", async () => {
    expect(await pulumi.isSecret(helmValues({ mirror: mirrorAt(bundleUrl) }))).toBe(true);
  });

  it.each(["registry.example.com/docs", "127.0.0.1:5000/team/docs", "[::1]:5000/docs"])(
    "of a site at %s has the reference of its image instead of a link, and is readable",
    async (repository) => {
      const reference = `${repository}@sha256:${"ab".repeat(32)}`;
      const values = helmValues({ mirror: mirrorAt(reference, "site") });
      expect(await known(values)).toStrictEqual({
        staticExport: { enabled: true, image: reference, version: "job-1" },
      });
      expect(await pulumi.isSecret(values)).toBe(false);
    },
  );

  it("has the mirror's sha256 where it is wanted, except of an image; a bundle, and a mirror without one, are refused", async () => {
    const [url, sha256] = ["https://cdn.example.com/docs/job-1.tar.gz", "ab".repeat(32)];
    const mirror = { ...mirrorAt(url), sha256: pulumi.output(sha256) };
    expect(await known(helmValues({ mirror, sha256: true }))).toStrictEqual({
      staticExport: { enabled: true, bundleUrl: url, version: "job-1", sha256 },
    });
    expect(await known(helmValues({ mirror }))).not.toHaveProperty("staticExport.sha256");
    const reference = `registry.example.com/docs@sha256:${sha256}`;
    expect(await known(helmValues({ mirror: mirrorAt(reference, "site"), sha256: true }))).toStrictEqual({
      staticExport: { enabled: true, image: reference, version: "job-1" },
    });
    expect(() => helmValues({ bundle: newBundle(), sha256: true })).toThrow("a bundle has no sha256");
    expect(() => plainHelmValues({ mirror: { url, version: "job-1" }, sha256: true })).toThrow("has no sha256");
  });

  it.each([
    ["file:///srv/docs/job-1.tar.gz", "archive", "publicUrl"],
    ["https://cdn.example.com/docs/", "site", "use layout archive"],
    [`registry.example.com/docs@sha256:${"ab".repeat(32)}`, "archive", "use layout site"],
    [`registry.example.com/docs@sha256:${"ab".repeat(32)}`, undefined, "use layout site"],
  ])("at %s, of layout %s, is out of a deployment's reach, with the reason", (url, layout, reason) => {
    expect(() => requireMirrorFetchableByChart(url, layout)).toThrow(reason);
  });

  it("at an https address is within its reach", () => {
    expect(() => requireMirrorFetchableByChart("https://cdn.example.com/docs/job-1.tar.gz", undefined)).not.toThrow();
  });
});
