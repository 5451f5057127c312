import { setTimeout as timer } from "node:timers/promises";
import { DocsPlatformError, InterruptedError } from "./errors";

/** A timer that is set for longer fires at once, so a longer sleep ends early. Milliseconds, about 24 days. */
export const longestTimer = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(Math.min(ms, longestTimer), undefined, { signal }).catch(() => {
    throw signal?.reason;
  });
}

/** Why work was stopped: the error that its signal tells; without one the run was cancelled. */
export function stopError({ reason }: AbortSignal): DocsPlatformError {
  return reason instanceof DocsPlatformError ? reason : new InterruptedError();
}

/**
 * Waits for a rest between two requests, which only the signal of the run can stop.
 * @throws InterruptedError
 */
export async function interruptible(rest: Promise<void>): Promise<void> {
  await rest.catch((reason: unknown) => {
    throw reason instanceof DocsPlatformError ? reason : new InterruptedError();
  });
}

/**
 * Waits for work that the signal of the run must not wait for.
 * @throws the error of `stopError` as soon as the signal aborts. Then the work goes on, and its result is ignored.
 */
export async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? stopError(signal) : error;
  }
}

/** For what has to be cleared away after work was stopped: the run waits at most ten seconds for it. */
export function clearingSignal(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

/** A signal with a time limit of its own. */
export interface Limit {
  signal: AbortSignal;
  /** True where the time was up, and false where the caller's signal aborted. */
  isUp(): boolean;
  /** Releases the timer and the caller's signal. Call it when the work is done. */
  end(): void;
}

/**
 * Aborts when the caller's signal does, or after `ms` milliseconds.
 * @param timeIsUp the signal's reason in the second case.
 */
export function limitOf(
  ms: number,
  signal: AbortSignal,
  timeIsUp: Error = new DOMException("the time is up", "TimeoutError"),
): Limit {
  const limit = new AbortController();
  let isUp = false;
  const timer = setTimeout(
    () => {
      isUp = true;
      limit.abort(timeIsUp);
    },
    Math.min(ms, longestTimer),
  );
  const onAbort = () => limit.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  return {
    signal: limit.signal,
    isUp: () => isUp,
    end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/**
 * Waits for the work, or rejects with the signal's reason as soon as it aborts. Then the work goes on, and its result is
 * ignored. No listener stays at the signal, which may live as long as the process.
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
