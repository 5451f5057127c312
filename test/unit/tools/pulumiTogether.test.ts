import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BareMachine } from "./machine";

describe.concurrent("processes that want Pulumi", () => {
  it("at the same time make it once: the second waits, says so, and uses what the first made", async ({
    onTestFinished,
  }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    machine.go(1.5);
    const runs = await Promise.all([machine.run(), machine.run()]);
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    }
    const waited = runs.filter((run) => run.stderr.includes("another process is getting a tool ready"));
    expect(waited).toHaveLength(1);
    expect(machine.calls().filter((call) => call.startsWith("go build"))).toHaveLength(2);
    expect(machine.calls().filter((call) => call.startsWith("npx"))).toHaveLength(1);
    expect(machine.kept()).toHaveLength(1);
  });

  it("and are killed in the middle leave nothing that is used later", async ({ onTestFinished }) => {
    const machine = new BareMachine(onTestFinished);
    machine.npx();
    // Even the half-finished folder of the killed build could run.
    machine.go(4, "v3.200.0");
    const killed = machine.start();
    await until(() => machine.calls().some((call) => call.startsWith("go build")));
    process.kill(-(killed.child.pid ?? 0), "SIGKILL");
    await killed.ended;
    expect(machine.kept().filter((name) => name.startsWith("pulumi-"))).toEqual([]);
    machine.go();
    const run = await machine.run();
    expect(run).toMatchObject({ code: 0, stdout: `${machine.built}\n` });
    expect(machine.calls().filter((call) => call.startsWith("go build"))).toHaveLength(3);
    expect(machine.kept()).toHaveLength(1);
  });

  it.for(["SIGINT", "SIGTERM"] as const)(
    "and get a %s end the build and leave nothing",
    async (signal, { onTestFinished }) => {
      const machine = new BareMachine(onTestFinished);
      machine.npx();
      machine.go(2);
      const { child, ended } = machine.start();
      await until(() => machine.calls().some((call) => call.startsWith("go build")));
      child.kill(signal);
      const run = await ended;
      expect(run.code).not.toBe(0);
      expect(run.stdout).toBe("");
      expect(machine.kept()).toEqual([]);
      await sleep(2_500);
      expect(machine.calls()).not.toContain("built");
    },
  );
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await sleep(50);
  }
}
