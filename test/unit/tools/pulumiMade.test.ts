import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BareMachine } from "./machine";

describe.concurrent("a Pulumi that is kept in the cache", () => {
  it("is used without a call of npx or go", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.go();
    machine.install(machine.built);
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n`, stderr: "" });
    expect(machine.calls()).toEqual([]);
  });

  it("is the official release rather than a build when both are there", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.install(machine.fetched);
    machine.install(machine.built);
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.fetched}\n`, stderr: "" });
  });

  it("is made anew when it is damaged", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.go();
    machine.install(machine.built);
    rmSync(join(machine.built, "pulumi-language-nodejs"));
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(existsSync(join(machine.built, "pulumi-language-nodejs"))).toBe(true);
    expect(machine.kept()).toHaveLength(1);
  });
});

describe.concurrent("the official release by the npm package", () => {
  it("is fetched at the pinned version into the cache, before any build is tried", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const home = join(machine.root, "official");
    machine.install(home, `v${machine.version}`);
    machine.npx(`mkdir -p $PULUMI_HOME/versions; ${process.execPath} -e ${copy(home, machine.version)}`);
    machine.go();
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.fetched}\n` });
    expect(machine.calls()).toEqual([`npx --yes pulumi@${machine.version} version`]);
    expect(machine.kept()).toEqual([machine.fetched.slice(machine.cache.length + 1)]);
  });

  it("is not used when its download broke off, even if a part of it would run", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const home = join(machine.root, "official");
    machine.install(home);
    machine.npx(`${process.execPath} -e ${copy(home, machine.version)}; echo broken off >&2; exit 1`);
    for (const _ of ["first", "second"]) {
      const run = await machine.run();
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain("broken off");
      expect(machine.kept()).toEqual([]);
    }
  });
});

describe.concurrent("a build from the Go modules", () => {
  it("is made when the download is refused, holds all three executables, and is not made twice", async ({
    onTestFinished,
  }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.go();
    const first = await machine.run();
    expect(first).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(first.stderr).toContain(`building Pulumi ${machine.version} from its Go modules`);
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]) {
      expect(existsSync(join(machine.built, name))).toBe(true);
    }
    expect(readFileSync(join(machine.built, "built-with.txt"), "utf8")).toBe("go1.99.0\n");
    expect(machine.kept()).toHaveLength(1);
    const calls = machine.calls();
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n`, stderr: "" });
    expect(machine.calls()).toEqual(calls);
  });

  it("that fails shows the compiler's last 20 lines and leaves nothing", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.put(
      machine.bin,
      "go",
      '[ "$1" = env ] && { echo go1.99.0; exit 0; }\nfor i in 1 2 3 4 5; do for j in a b c d e; do echo "line $i$j" >&2; done; done; exit 2',
    );
    const run = await machine.run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("line 5e");
    expect(run.stderr).toContain("line 2a");
    expect(run.stderr).not.toContain("line 1e");
    expect(run.stderr).not.toMatch(/^\s+at /m);
    expect(machine.kept()).toEqual([]);
  });

  it("that does not work is refused", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.go(0, "nonsense");
    expect(await machine.run()).toMatchObject({ code: 1, stdout: "" });
    expect(machine.kept()).toEqual([]);
  });
});

describe("no Pulumi at all", () => {
  it("is an error that names the three ways, and what stands in each way", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const run = await machine.run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(
      run.stderr
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "No Pulumi command line was found, and none could be had. Any one of these is enough:",
      "1. Install Pulumi 3.139.0 or later and put it on PATH.",
      "Now: there is no `pulumi` on PATH",
      expect.stringMatching(/^2\. Allow the download of the npm package `pulumi` \d/),
      expect.stringContaining("Now: npx pulumi@"),
      expect.stringMatching(/^3\. Install Go \d+\.\d+\.\d+ or later/),
      "Now: there is no `go` on PATH",
    ]);
  });
});

/** A script for `node -e`, quoted for the shell, that puts an installation where the npm package puts it. */
function copy(from: string, version: string): string {
  const target = `process.env.PULUMI_HOME + "/versions/${version}/bin"`;
  return `'require("node:fs").cpSync("${from}", ${target}, { recursive: true })'`;
}
