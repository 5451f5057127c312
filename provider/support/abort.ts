import { setTimeout as timer } from "node:timers/promises";
import { DocsPlatformError, RunCancelledError } from "./errors";

/** In milliseconds (24 days). A timer with a longer time would fire at once. */
export const maxTimerMilliseconds = 2 ** 31 - 1;

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(Math.min(ms, maxTimerMilliseconds), undefined, { signal }).catch(() => {
    throw signal?.reason;
  });
}

export function interruptionError({ reason }: AbortSignal): DocsPlatformError {
  return reason instanceof DocsPlatformError ? reason : new RunCancelledError();
}

/** Only the run's signal can stop the pause. @throws RunCancelledError */
export async function awaitPauseOrCancellation(pause: Promise<void>): Promise<void> {
  await pause.catch((reason: unknown) => {
    throw reason instanceof DocsPlatformError ? reason : new RunCancelledError();
  });
}

/** Like {@link unlessAborted}, but throws the error of `interruptionError`. */
export async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? interruptionError(signal) : error;
  }
}

/**
 * The work's signal aborts with the given signal, or after `ms` milliseconds with the reason `timeIsUp`.
 * @throws `timeIsUp` if the work fails after the time limit. A DocsPlatformError is always thrown unchanged.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  timeIsUp: Error = new DOMException("the time is up", "TimeoutError"),
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timeIsUp), Math.min(ms, maxTimerMilliseconds));
  const onAbort = () => limit.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) {
      onAbort();
    }
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.reason === timeIsUp && !(error instanceof DocsPlatformError) ? timeIsUp : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Rejects with the signal's reason as soon as the signal aborts. The work then continues, and its result is ignored. No
 * listener remains on the signal, which may exist as long as the process.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
