import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { requireTool } from "../../support/requireTool";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the plugin's scripts", () => {
  it("start the same file, the one for Windows by the path from its own folder", () => {
    const read = (name: string) => readFileSync(join(projectRoot, "plugin", name), "utf8");
    const [, shell = ""] = /\/\.\." && pwd\)\/(\S+)" "\$@"/.exec(read("pulumi-resource-docs-platform")) ?? [];
    const [, windows = ""] = /"%~dp0\.\.\\(\S+)" %\*/.exec(read("pulumi-resource-docs-platform.cmd")) ?? [];
    expect(windows.replaceAll("\\", "/")).toBe(shell);
    expect(existsSync(join(projectRoot, shell))).toBe(true);
  });
});

describe("a tool that tests need", () => {
  it("is a reason to skip where the machine lacks it, and with CI=true a failure that names it", () => {
    vi.stubEnv("CI", "");
    expect([requireTool("node"), requireTool("no-such-tool")]).toEqual([true, false]);
    vi.stubEnv("CI", "true");
    expect(() => requireTool("no-such-tool")).toThrow('lacks the tool "no-such-tool"');
  });
});
