import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it as test } from "vitest";
import { until } from "../../support/until";
import { BareMachine } from "./machine";

const it = test.extend<{ machine: BareMachine }>({
  machine: async ({ onTestFinished }, use) => use(new BareMachine(onTestFinished)),
});

const builds = (machine: BareMachine) => machine.calls().filter((call) => call.startsWith("go build"));

describe.concurrent("pulumi on PATH", () => {
  it("wins over what is kept when it works, and nothing else is run", async ({ machine }) => {
    const own = join(machine.root, "own");
    for (const folder of [own, machine.fetched, machine.built]) {
      machine.install(folder);
    }
    machine.npx();
    machine.go();
    expect(await machine.run([own])).toMatchObject({ code: 0, stdout: `${own}\n`, stderr: "" });
    expect(machine.calls()).toEqual([]);
  });

  it.for<readonly [string, string, string]>([
    ["exits with 1", "echo out of order >&2; exit 1", "`pulumi version` failed: exit code 1: out of order"],
    ["is too old", "echo v3.99.9", "it is v3.99.9, older than v3.139.0"],
    ["has no language host", "echo v3.200.0", "no pulumi-language-nodejs beside it or on PATH"],
  ])("is passed over and named when it %s", async ([_, script, reason], { machine }) => {
    const broken = join(machine.root, "broken");
    machine.put(broken, "pulumi", script);
    machine.install(machine.built);
    const run = await machine.run([broken]);
    expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(run.stderr).toContain(`passing over ${join(broken, "pulumi")}: `);
    expect(run.stderr).toContain(reason);
  });

  it("is not run when it is the npm package's downloader: a look at PATH fetches nothing", async ({ machine }) => {
    const downloader = join(machine.root, "lib", "node_modules", "pulumi");
    machine.put(downloader, "run.js", `echo downloader >> ${machine.log}; echo v3.259.0`);
    symlinkSync(join(downloader, "run.js"), join(machine.bin, "pulumi"));
    machine.install(machine.built);
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(machine.calls()).toEqual([]);
  });
});

describe.concurrent("a Pulumi in the cache", () => {
  it("is fetched at the pinned version by the npm package, before any build is tried", async ({ machine }) => {
    const home = join(machine.root, "official");
    machine.install(home, `v${machine.version}`);
    machine.npx(`mkdir -p $PULUMI_HOME/versions; ${process.execPath} -e ${copy(home, machine.version)}`);
    machine.go();
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.fetched}\n` });
    expect(machine.calls()).toEqual([`npx --yes pulumi@${machine.version} version`]);
    expect(machine.kept()).toEqual([machine.fetched.slice(machine.cache.length + 1)]);
  });

  it("is not what a download that broke off has left, even if that would run", async ({ machine }) => {
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

  it("is built when the download is refused, with its language hosts, and again only when damaged", async ({
    machine,
  }) => {
    machine.npx();
    machine.go();
    const first = await machine.run();
    expect(first).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(first.stderr).toContain(`building Pulumi ${machine.version} from its Go modules`);
    const hosts = ["nodejs", "python", "python-exec", "go"].map((name) => `pulumi-language-${name}`);
    const names = ["pulumi", ...hosts, "pulumi-resource-pulumi-nodejs"];
    const files = names.map((name) => join(machine.built, name));
    expect(files.every((file) => existsSync(file))).toBe(true);
    const calls = machine.calls();
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n`, stderr: "" });
    expect(machine.calls()).toEqual(calls);
    rmSync(files[1] ?? "");
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(files.every((file) => existsSync(file))).toBe(true);
    expect(machine.kept()).toHaveLength(1);
  });

  it("is not what fails to build, whose last 20 lines are shown, nor what does not work", async ({ machine }) => {
    machine.npx();
    machine.go(0, "nonsense");
    expect(await machine.run()).toMatchObject({ code: 1, stdout: "" });
    const lines = 'for i in 1 2 3 4 5; do for j in a b c d e; do echo "line $i$j" >&2; done; done; exit 2';
    machine.put(machine.bin, "go", `[ "$1" = env ] && { echo go1.99.0; exit 0; }\n${lines}`);
    const run = await machine.run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/line 2a[\s\S]*line 5e/);
    expect(run.stderr).not.toMatch(/line 1e|^\s+at /m);
    expect(machine.kept()).toEqual([]);
  });

  it("can also be had in none of the three ways: the error names them, and what stands in each", async ({
    machine,
  }) => {
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

describe.concurrent("processes that want Pulumi", () => {
  it("at the same time make it once: the second waits, says so, and uses what the first made", async ({ machine }) => {
    machine.npx();
    machine.go(1.5);
    const runs = await Promise.all([machine.run(), machine.run()]);
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    }
    expect(runs.filter(({ stderr }) => stderr.includes("another process is getting a tool ready"))).toHaveLength(1);
    expect(builds(machine)).toHaveLength(4);
    expect(machine.kept()).toHaveLength(1);
  });

  it("and get a Ctrl-C end the build and leave nothing", async ({ machine }) => {
    machine.npx();
    machine.go(2);
    const { child, ended } = machine.start();
    await until(() => builds(machine).length > 0);
    child.kill("SIGINT");
    const run = await ended;
    expect(run.code).not.toBe(0);
    expect(run.stdout).toBe("");
    expect(machine.kept()).toEqual([]);
    await sleep(2_500);
    expect(machine.calls()).not.toContain("built");
  });
});

/** A script for `node -e`, quoted for the shell, that puts an installation where the npm package puts it. */
function copy(from: string, version: string): string {
  const target = `process.env.PULUMI_HOME + "/versions/${version}/bin"`;
  return `'require("node:fs").cpSync("${from}", ${target}, { recursive: true })'`;
}
