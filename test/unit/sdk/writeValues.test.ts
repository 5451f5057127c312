import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ExportBundle } from "../../../sdk/exportBundle";
import { helmValues } from "../../../sdk/helmValues";
import { writePrivately, writeValues } from "../../../sdk/writeValues";
import { known, mockOutputs } from "./mocked";

const bundleUrl = "https://files.example.com/x.tar.gz?X-Amz-Signature=s3cr3t";

let folder: string;
let file: string;

beforeEach(async () => {
  await mockOutputs({ bundleUrl, version: "job-1" });
  folder = mkdtempSync(join(tmpdir(), "values-"));
  file = join(folder, "values.secret.yaml");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const values = () => helmValues({ bundle: new ExportBundle("bundle", { jobId: "job-1" }) });
const content = () => JSON.parse(readFileSync(file, "utf8"));
const mode = () => (statSync(file).mode & 0o777).toString(8);

describe("writeValues", () => {
  it("writes the values of a bundle for the owner alone, and shows the path, which is no secret", async () => {
    const path = writeValues(file, values());
    expect(await known(path)).toBe(file);
    expect(await pulumi.isSecret(path)).toBe(false);
    expect(content()).toStrictEqual({ staticExport: { enabled: true, bundleUrl, version: "job-1" } });
    expect(mode()).toBe("600");
    expect(readdirSync(folder)).toEqual(["values.secret.yaml"]);
  });

  it("writes values with outputs anywhere in them", async () => {
    await known(writeValues(file, { replicas: 3, staticExport: values().staticExport }));
    expect(content()).toStrictEqual({ replicas: 3, staticExport: { enabled: true, bundleUrl, version: "job-1" } });
  });

  it("leaves a file that all could read as one that its owner alone can", async () => {
    writeFileSync(file, "old: true\n");
    chmodSync(file, 0o644);
    await known(writeValues(file, { replicas: 3 }));
    expect({ mode: mode(), content: content() }).toEqual({ mode: "600", content: { replicas: 3 } });
  });

  it("replaces a symbolic link, and leaves what it leads to", async () => {
    const target = join(folder, "of others");
    writeFileSync(target, "old: true\n");
    symlinkSync(target, file);
    await known(writeValues(file, { replicas: 3 }));
    expect(readFileSync(target, "utf8")).toBe("old: true\n");
    expect(content()).toEqual({ replicas: 3 });
  });

  it("writes nothing in a preview", async () => {
    vi.spyOn(pulumi.runtime, "isDryRun").mockReturnValue(true);
    expect(await known(writeValues(file, { replicas: 3 }))).toBe(file);
    expect(existsSync(file)).toBe(false);
  });

  it("says that what cannot be written was left as it was, says nothing of the values, and leaves no part", () => {
    mkdirSync(join(file, "kept"), { recursive: true });
    const write = () => writePrivately(file, bundleUrl);
    expect(write).toThrow(
      /^writeValues: .*values\.secret\.yaml cannot be written \(EISDIR\); an earlier file is unchanged\./,
    );
    expect(write).not.toThrow("s3cr3t");
    expect(readdirSync(folder)).toEqual(["values.secret.yaml"]);
    expect(() => writePrivately(join(folder, "missing", "values.yaml"), "{}")).toThrow("(ENOENT)");
  });
});
