import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BareMachine } from "./machine";

describe.concurrent("pulumi on PATH", () => {
  it("wins over what is kept when it works, and nothing else is run", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const own = join(machine.root, "own");
    machine.install(own);
    machine.install(machine.fetched);
    machine.install(machine.built);
    machine.npx();
    machine.go();
    expect(await machine.run([own])).toMatchObject({ code: 0, stdout: `${own}\n`, stderr: "" });
    expect(machine.calls()).toEqual([]);
  });

  it.for<readonly [string, string, string]>([
    ["exits with 1", "echo out of order >&2; exit 1", "`pulumi version` failed: exit code 1: out of order"],
    ["is too old", "echo v3.99.9", "it is v3.99.9, older than v3.139.0"],
    ["prints no version", "echo", 'printed no version: ""'],
  ])("is passed over and named when it %s", async ([_, script, reason], { onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const broken = join(machine.root, "broken");
    machine.install(broken);
    machine.put(broken, "pulumi", script);
    machine.install(machine.built);
    const run = await machine.run([broken]);
    expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(run.stderr).toContain(`passing over ${join(broken, "pulumi")}: `);
    expect(run.stderr).toContain(reason);
  });

  it("is passed over and named when there is no language host, and the next one on PATH is tried", async ({
    onTestFinished,
  }) => {
    const machine = new BareMachine(onTestFinished);
    const bare = join(machine.root, "bare");
    const whole = join(machine.root, "whole");
    machine.put(bare, "pulumi", "echo v3.200.0");
    machine.install(machine.built);
    const alone = await machine.run([bare]);
    expect(alone).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(alone.stderr).toContain(`${join(bare, "pulumi")}: no pulumi-language-nodejs beside it or on PATH`);

    machine.put(bare, "pulumi", "exit 1");
    machine.install(whole);
    expect(await machine.run([bare, whole])).toMatchObject({ code: 0, stdout: `${whole}\n` });
  });

  it("is accepted with a language host elsewhere on PATH, and says where that is", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const bare = join(machine.root, "bare");
    const hosts = join(machine.root, "hosts");
    machine.put(bare, "pulumi", "echo v3.200.0");
    machine.put(hosts, "pulumi-language-nodejs", "exit 0");
    const run = await machine.run([bare, hosts]);
    expect(run).toMatchObject({ code: 0, stdout: `${bare}\n` });
    expect(run.stderr).toContain(join(hosts, "pulumi-language-nodejs"));
  });

  it("is followed through a link to the folder that holds the language host", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    const real = join(machine.root, "real");
    machine.install(real);
    symlinkSync(join(real, "pulumi"), join(machine.bin, "pulumi"));
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${real}\n`, stderr: "" });
  });

  it("is not run when it is the npm package's downloader: a look at PATH fetches nothing", async ({
    onTestFinished,
  }) => {
    const machine = new BareMachine(onTestFinished);
    const downloader = join(machine.root, "lib", "node_modules", "pulumi");
    machine.put(downloader, "run.js", `echo downloader >> ${machine.log}; echo v3.259.0`);
    symlinkSync(join(downloader, "run.js"), join(machine.bin, "pulumi"));
    machine.install(machine.built);
    expect(await machine.run()).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(machine.calls()).toEqual([]);
  });
});
