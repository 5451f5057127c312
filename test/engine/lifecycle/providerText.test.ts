import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { EngineStack } from "../../support/engineStack";
import { siteAndBundle, stackAfterUp, testPlatform } from "../../support/engineTest";

const texts = {
  site: 'exports.handler = () => require("pulumi-docs-platform/provider").StaticExport;',
  bundle: 'exports.handler = () => require("pulumi-docs-platform/provider").ExportBundle;',
};

const folder = mkdtempSync(join(tmpdir(), "packed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The package as a registry would serve it, with the packages that it needs beside it. */
function unpack(): string {
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: projectRoot });
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", join(folder, "pulumi-docs-platform-0.1.0.tgz"), "-C", modules]);
  for (const name of ["undici", "zod", "@pulumi"]) {
    symlinkSync(join(projectRoot, "node_modules", name), join(modules, name));
  }
  return join(modules, "package");
}

describe("the text that names our code in the state", () => {
  it("never changes, holds no code and is at most 512 bytes", async () => {
    const stack = await stackAfterUp(await testPlatform());
    for (const name of ["site", "bundle"] as const) {
      const { inputs, outputs } = (await stack.state(name)) ?? {};
      expect(inputs?.__provider).toBe(texts[name]);
      expect(outputs?.__provider).toBe(texts[name]);
      expect(texts[name].length).toBeLessThanOrEqual(512);
    }
  });

  it("works where the package is installed from its tarball: up, unchanged, refresh, destroy", async () => {
    const platform = await testPlatform();
    const packages = {
      "pulumi-docs-platform": unpack(),
      "@pulumi/pulumi": join(projectRoot, "node_modules", "@pulumi", "pulumi"),
    };
    const stack = await EngineStack.create(platform, siteAndBundle, packages);
    try {
      const { code, output } = await stack.up();
      expect(code, output).toBe(0);
      expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
      expect(await stack.refresh()).toMatchObject({ code: 0 });
      expect(await stack.destroy()).toMatchObject({ code: 0 });
    } finally {
      stack.remove();
    }
  });
});
