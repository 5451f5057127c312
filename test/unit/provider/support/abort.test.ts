import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { timedSignal, unlessAborted } from "../../../../provider/support/abort";

/** Makes work that rejects when its signal aborts. */
function work() {
  let finish = (_: string) => {};
  const promise = new Promise<string>((resolve) => {
    finish = resolve;
  });
  return { promise, finish };
}

describe("unlessAborted", () => {
  it("gives what the work gives, and leaves no listener at the signal", async () => {
    const { signal } = new AbortController();
    const { promise, finish } = work();
    const waiting = unlessAborted(promise, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    finish("done");
    expect(await waiting).toBe("done");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("rejects with the signal's reason as soon as it aborts, and leaves no listener", async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(work().promise, controller.signal);
    controller.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("rejects at once where the signal has aborted before, whatever the work gives", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(unlessAborted(Promise.resolve("done"), signal)).rejects.toThrow("stop");
    await expect(unlessAborted(Promise.reject(new Error("work")), signal)).rejects.toThrow("stop");
  });
});

describe("timedSignal", () => {
  it("aborts when the time is up, and says so", async () => {
    const limit = timedSignal(1, new AbortController().signal);
    await new Promise((resolve) => limit.signal.addEventListener("abort", resolve));
    expect(limit.isUp()).toBe(true);
    limit.end();
  });

  it("aborts with the caller's signal, also where that has aborted before, and does not treat it as its time", () => {
    const controller = new AbortController();
    const limit = timedSignal(60_000, controller.signal);
    controller.abort(new Error("stop"));
    const late = timedSignal(60_000, controller.signal);
    for (const each of [limit, late]) {
      expect(each.signal.reason).toEqual(new Error("stop"));
      expect(each.isUp()).toBe(false);
      each.end();
    }
  });

  it("listens to the caller's signal until it ends", () => {
    const { signal } = new AbortController();
    const limit = timedSignal(60_000, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    limit.end();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
