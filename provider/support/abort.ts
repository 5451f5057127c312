import { setTimeout as timer } from "node:timers/promises";
import { DocsPlatformError, InterruptedError } from "./errors";

/** The longest timer, in milliseconds (24 days). A longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1;

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(Math.min(ms, longestTimer), undefined, { signal }).catch(() => {
    throw signal?.reason;
  });
}

export function stopError({ reason }: AbortSignal): DocsPlatformError {
  return reason instanceof DocsPlatformError ? reason : new InterruptedError();
}

/** Waits for a pause, which only the signal of the run stops. @throws InterruptedError */
export async function interruptiblePause(rest: Promise<void>): Promise<void> {
  await rest.catch((reason: unknown) => {
    throw reason instanceof DocsPlatformError ? reason : new InterruptedError();
  });
}

/** Like {@link unlessAborted}, but throws the error of `stopError`. */
export async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? stopError(signal) : error;
  }
}

interface TimedSignal {
  signal: AbortSignal;
  /** True if the time was up, and false if the caller's signal aborted. */
  isUp(): boolean;
  end(): void;
}

/** A signal that aborts with the given one, or after `ms` milliseconds with `timeIsUp` as its reason. */
export function timedSignal(
  ms: number,
  signal: AbortSignal,
  timeIsUp: Error = new DOMException("the time is up", "TimeoutError"),
): TimedSignal {
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
 * Waits for the work, or rejects with the signal's reason as soon as the signal aborts. The work then continues, and
 * its result is ignored. No listener stays at the signal, which may live as long as the process.
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
