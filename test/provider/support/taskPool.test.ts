import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AtOnce } from "../../../provider/support/taskPool";
import { rejection } from "../../support/clientUnderTest";

describe("pieces of work at once", () => {
  it("are never more than the limit, and all are done at the end", async () => {
    const work = new AtOnce(3);
    let [running, most, done] = [0, 0, 0];
    for (let piece = 0; piece < 10; piece++) {
      await work.add(async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
        done++;
      });
    }
    await work.end();
    expect({ most, done }).toEqual({ most: 3, done: 10 });
  });

  it("end with the first fault once all have ended, and none begins after it", async () => {
    const work = new AtOnce(2);
    let [ended, begun] = [0, 0];
    await work.add(async () => {
      await sleep(20);
      ended++;
    });
    await work.add(async () => {
      throw new Error("first");
    });
    await sleep(1);
    const next = work.add(async () => {
      begun++;
    });
    expect((await rejection(next)).message).toBe("first");
    expect((await rejection(work.end())).message).toBe("first");
    expect({ ended, begun }).toEqual({ ended: 1, begun: 0 });
  });
});
