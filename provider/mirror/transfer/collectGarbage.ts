import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const intervalBytes = 8 * 1024 ** 2;

type CollectGarbage = (options: { type: "minor" }) => void;

let collect: CollectGarbage | undefined;
let bytesSinceCollection = 0;

/**
 * Frees the buffers of received chunks. Call this function with the size of each chunk from a socket. A chunk is a
 * buffer outside of the heap, which only the garbage collector frees. By itself the collector lets 64 MiB of chunks
 * accumulate. A minor collection every 8 MiB takes a millisecond, and halves this amount.
 */
export function collectGarbageAfter(bytes: number): void {
  bytesSinceCollection += bytes;
  if (bytesSinceCollection >= intervalBytes) {
    bytesSinceCollection = 0;
    collect ??= loadCollector();
    collect({ type: "minor" });
  }
}

/** Returns the collector's function, which exists only in a context that is created while the flag is set. */
function loadCollector(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (found as CollectGarbage) : () => {};
}
