import { onTestFinished, vi } from "vitest";

/**
 * Makes a `requestTimeout` that passes when `pass` is called, and not before. On a busy machine, a short limit in real
 * time may pass before the server of a test has read the request.
 */
export function requestLimit(): { requestTimeout: number; pass: () => void } {
  // No other timer of the provider or of its libraries has this length.
  const requestTimeout = 29_989;
  const waiting: (() => void)[] = [];
  const { setTimeout } = globalThis;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) => {
    if (ms === requestTimeout) {
      waiting.push(run);
    }
    return setTimeout(run, ms);
  }) as typeof globalThis.setTimeout);
  onTestFinished(() => spy.mockRestore());
  const pass = () => {
    for (const run of waiting.splice(0)) {
      run();
    }
  };
  return { requestTimeout, pass };
}
