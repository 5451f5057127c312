import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it as test } from "vitest";
import { BareMachine } from "./machine";

const it = test.extend<{ machine: BareMachine }>({
  machine: async ({ onTestFinished }, use) => use(new BareMachine(onTestFinished)),
});

describe.concurrent("the Pulumi of a process is", () => {
  it("the first one on PATH that works: others are named, the npm package's downloader is not run, and nothing is fetched", async ({
    machine,
  }) => {
    const folderOf = (name: string) => join(machine.root, name);
    const downloader = folderOf("lib/node_modules/pulumi");
    machine.put(downloader, "run.js", `echo downloader >> ${machine.log}; echo v3.259.0`);
    symlinkSync(join(downloader, "run.js"), join(machine.bin, "pulumi"));
    machine.put(folderOf("broken"), "pulumi", "echo out of order >&2; exit 1");
    machine.put(folderOf("old"), "pulumi", "echo v3.99.9");
    machine.put(folderOf("alone"), "pulumi", "echo v3.200.0");
    machine.install(folderOf("own"));
    machine.install(machine.built);
    machine.npx();
    const [own, kept] = await Promise.all([
      machine.run(["broken", "old", "bin", "own"].map(folderOf)),
      machine.run([folderOf("alone")]),
    ]);
    expect([own, kept]).toMatchObject([
      { code: 0, stdout: `${folderOf("own")}\n` },
      { code: 0, stdout: `${machine.built}\n` },
    ]);
    for (const [run, name, reason] of [
      [own, "broken", "`pulumi version` failed: exit code 1: out of order"],
      [own, "old", "it is v3.99.9, older than v3.139.0"],
      [kept, "alone", "no pulumi-language-nodejs beside it or on PATH"],
    ] as const) {
      expect(run.stderr).toMatch(new RegExp(`passing over ${folderOf(name)}/pulumi: .*${reason}`));
    }
    expect(machine.calls()).toEqual([]);
  });

  it("otherwise the pinned version of the npm package, before any build is tried", async ({ machine }) => {
    const home = join(machine.root, "official");
    machine.install(home, `v${machine.version}`);
    machine.npx(`mkdir -p $PULUMI_HOME/versions; ${process.execPath} -e ${copy(home, machine.version)}`);
    machine.go();
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.fetched}\n` });
    expect(machine.calls()).toEqual([`npx --yes pulumi@${machine.version} version`]);
    expect(machine.kept()).toEqual([machine.fetched.slice(machine.cache.length + 1)]);
  });

  it("otherwise built, with its language hosts, by one of those that want it at the same time, and again only when damaged", async ({
    machine,
  }) => {
    machine.npx();
    machine.go(1.5);
    const runs = await Promise.all([machine.run(), machine.run()]);
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    }
    expect(runs.filter(({ stderr }) => stderr.includes("another process is getting a tool ready"))).toHaveLength(1);
    const hosts = ["nodejs", "python", "python-exec", "go"].map((name) => `pulumi-language-${name}`);
    const names = ["pulumi", ...hosts, "pulumi-resource-pulumi-nodejs"];
    const files = names.map((name) => join(machine.built, name));
    expect(files.every((file) => existsSync(file))).toBe(true);
    expect(machine.calls().filter((call) => call.startsWith("go build"))).toHaveLength(4);
    rmSync(files[1] ?? "");
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(files.every((file) => existsSync(file))).toBe(true);
    expect(machine.kept()).toHaveLength(1);
  });

  it("missing if all three fail: the error names them, and the reason of each", async ({ machine }) => {
    const run = await machine.run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    const text = run.stderr.slice(run.stderr.indexOf("No Pulumi"));
    expect(text.split("\n").map((line) => line.trim())).toEqual([
      "No Pulumi command line was found, and none could be had. Any one of these is enough:",
      "1. Install Pulumi 3.139.0 or later and put it on PATH.",
      "Now: there is no `pulumi` on PATH",
      expect.stringMatching(/^2\. Allow the download of the npm package `pulumi` \d/),
      expect.stringContaining("Now: npx pulumi@"),
      expect.stringMatching(/^3\. Install Go \d+\.\d+\.\d+ or later/),
      "Now: go env: not found",
      "",
    ]);
  });
});

/** Returns a script for `node -e` that copies an installation to the path at which the npm package installs Pulumi. */
function copy(from: string, version: string): string {
  const target = `process.env.PULUMI_HOME + "/versions/${version}/bin"`;
  return `'require("node:fs").cpSync("${from}", ${target}, { recursive: true })'`;
}
