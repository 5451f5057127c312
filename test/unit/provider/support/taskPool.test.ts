import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { TaskPool } from "../../../../provider/support/taskPool";
import { rejection } from "../../../support/clientUnderTest";

describe("a pool of tasks", () => {
  it("never runs more tasks than its size, and runs all of them", async () => {
    const pool = new TaskPool(3);
    let [running, most, done] = [0, 0, 0];
    for (let piece = 0; piece < 10; piece++) {
      await pool.add(async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
        done++;
      });
    }
    await pool.drain();
    expect({ most, done }).toEqual({ most: 3, done: 10 });
  });

  it("fails with the first error once all running tasks have ended, and starts none after it", async () => {
    const pool = new TaskPool(2);
    let [ended, begun] = [0, 0];
    await pool.add(async () => {
      await sleep(20);
      ended++;
    });
    await pool.add(async () => {
      throw new Error("first");
    });
    await sleep(1);
    const next = pool.add(async () => {
      begun++;
    });
    expect((await rejection(next)).message).toBe("first");
    expect((await rejection(pool.drain())).message).toBe("first");
    expect({ ended, begun }).toEqual({ ended: 1, begun: 0 });
  });
});
