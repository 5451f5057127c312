import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { elapsed, progressLine } from "../../../tools/toolchain/progress";
import { requireTool } from "../../support/requireTool";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("elapsed time", () => {
  it.each([
    [9_900, "9s"],
    [75_000, "1m15s"],
    [3_725_000, "1h02m"],
  ])("%d ms is shown as %s", (milliseconds, text) => {
    expect(elapsed(milliseconds)).toBe(text);
  });
});

describe("the progress line on a terminal", () => {
  it("is cut to the width of the terminal, but not the time", () => {
    expect(progressLine("building for long", "1m15s", 80)).toBe("building for long: 1m15s");
    expect(progressLine("building for long", "1m15s", 20)).toBe("building fo…: 1m15s");
  });
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
  it("is found on PATH", () => {
    expect(requireTool("node")).toBe(true);
  });

  it("is a reason to skip where the machine lacks it", () => {
    vi.stubEnv("CI", "");
    expect(requireTool("no-such-tool")).toBe(false);
  });

  it("is a failure that names it where the machine lacks it and CI=true", () => {
    vi.stubEnv("CI", "true");
    expect(() => requireTool("no-such-tool")).toThrow('lacks the tool "no-such-tool"');
  });
});
