import { setTimeout as sleep } from "node:timers/promises";

/**
 * The longest wait in milliseconds. It is shorter than the time limit of a test, so that the test fails with the error
 * of `until`, which contains the condition.
 */
const limit = 110_000;

/**
 * Waits until a condition is true.
 * @param pause the time between two checks, in milliseconds.
 * @throws Error with the text of the condition, if it is not true in time.
 */
export async function until(holds: () => boolean | Promise<boolean>, pause = 5): Promise<void> {
  for (const end = Date.now() + limit; Date.now() < end; await sleep(pause)) {
    if (await holds()) {
      return;
    }
  }
  throw new Error(`did not hold within ${limit / 1_000} s: ${holds}`);
}
