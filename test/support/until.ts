import { setTimeout as sleep } from "node:timers/promises";

/** The longest wait, in milliseconds. It is shorter than a test's time limit, so that `until` reports the condition. */
const limit = 110_000;

/** Waits until a condition is true. `pause` is the time between two checks, in milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, pause = 5): Promise<void> {
  for (const end = Date.now() + limit; Date.now() < end; await sleep(pause)) {
    if (await holds()) {
      return;
    }
  }
  throw new Error(`did not hold within ${limit / 1_000} s: ${holds}`);
}
