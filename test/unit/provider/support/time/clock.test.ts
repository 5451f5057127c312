import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { systemClock } from "../../../../../provider/support/time/clock";

it("a sleep ends as soon as the signal aborts, with its reason", async () => {
  const controller = new AbortController();
  const slept = systemClock.sleep(3_600_000, controller.signal);
  controller.abort("stop");
  await expect(slept).rejects.toBe("stop");
});

it("a sleep that has ended leaves no listener at the signal", async () => {
  const { signal } = new AbortController();
  const slept = systemClock.sleep(1, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await slept;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
