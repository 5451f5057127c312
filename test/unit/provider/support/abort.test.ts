import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { unlessAborted, withTimeLimit } from "../../../../provider/support/abort";
import { RunCancelledError } from "../../../../provider/support/errors";

/** Makes work that ends only when the test calls `finish`. It does not react to any signal. */
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

const untilAborted = (signal: AbortSignal) => unlessAborted(work().promise, signal);

describe("withTimeLimit", () => {
  it("aborts when the time is up, and throws that, unless the work throws an error for the user", async () => {
    const { signal } = new AbortController();
    const timeIsUp = new Error("too late");
    await expect(withTimeLimit(1, signal, untilAborted, timeIsUp)).rejects.toBe(timeIsUp);
    const failing = (error: Error) => (limited: AbortSignal) =>
      untilAborted(limited).catch(() => {
        throw error;
      });
    await expect(withTimeLimit(1, signal, failing(new Error("other")), timeIsUp)).rejects.toBe(timeIsUp);
    await expect(withTimeLimit(1, signal, failing(new RunCancelledError()), timeIsUp)).rejects.toThrow(
      RunCancelledError,
    );
  });

  it("aborts with the caller's signal, also where that has aborted before, and does not treat it as its time", async () => {
    const controller = new AbortController();
    const waiting = withTimeLimit(60_000, controller.signal, untilAborted);
    controller.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    await expect(withTimeLimit(60_000, controller.signal, untilAborted)).rejects.toThrow("stop");
  });

  it("listens to the caller's signal until the work ends", async () => {
    const { signal } = new AbortController();
    const { promise, finish } = work();
    const waiting = withTimeLimit(60_000, signal, () => promise);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    finish("done");
    expect(await waiting).toBe("done");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
