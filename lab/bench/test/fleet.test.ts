import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { Wave } from "../fleet/fleet";
import { fleetReport, type Waves } from "../fleet/part";
import { watchUsage } from "../fleet/usage";

const wave: Wave = { seconds: 40, cpu: 80, memory: 1024 ** 3, requests: 0 };

describe("the report of a fleet", () => {
  const waves: Waves = {
    trivial: { first: [wave], unchanged: [wave] },
    ours: { first: [{ ...wave, cpu: 60, requests: 20 }], unchanged: [{ ...wave, memory: 2 * 1024 ** 3, requests: 1 }] },
  };
  const { targets, text } = fleetReport(new Map([[10, waves]]), 8);
  const values = Object.fromEntries(targets.map(({ name, value }) => [name, value]));

  it("tells the ratio of CPU and memory to the control, and the requests of one stack", () => {
    expect(values).toEqual({
      "fleet.10.first.cpu": 0.75,
      "fleet.10.first.memory": 1,
      "fleet.10.first.requests": 2,
      "fleet.10.unchanged.cpu": 1,
      "fleet.10.unchanged.memory": 2,
      "fleet.10.unchanged.requests": 0.1,
    });
    expect(text).toContain("at most 8 at once");
    expect(text).toContain("| 10 | first | CPU seconds a stack | 8.00 | 6.00 | 0.75 |");
  });

  it("misses its target where a stack that nothing changed sends one request", () => {
    const missed = targets.filter(({ value, limit }) => value > limit).map(({ name }) => name);
    expect(missed).toEqual(["fleet.10.unchanged.memory", "fleet.10.unchanged.requests"]);
  });
});

describe.runIf(process.platform === "linux")("the usage of what a process starts", () => {
  it("counts CPU and memory of all below it, also of those that have ended", async () => {
    const usage = watchUsage();
    const work =
      "const block = Buffer.alloc(100 * 2 ** 20, 1); const end = Date.now() + 400; while (Date.now() < end);";
    // Keeps the shell between them, as the command line of Pulumi does.
    const child = spawn("/bin/sh", ["-c", `"${process.execPath}" -e '${work}'; true`]);
    await once(child, "exit");
    const { cpu, memory } = usage.stop();
    expect(cpu).toBeGreaterThan(0.1);
    expect(memory).toBeGreaterThan(100 * 2 ** 20);
  });

  it("counts nothing that ran before", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    expect(watchUsage().stop()).toEqual({ cpu: 0, memory: 0 });
    child.kill();
  });
});
