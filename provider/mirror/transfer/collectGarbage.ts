import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many bytes may have come before what was read of them is freed. */
const intervalBytes = 8 * 1024 ** 2;

type CollectGarbage = (options: { type: "minor" }) => void;

let collect: CollectGarbage | undefined;
let bytesSinceCollection = 0;

/**
 * To be told of all bytes that come from a socket. Each chunk is a buffer outside of the heap, which only the garbage
 * collector frees, and that lets 32 MiB of them pile up twice before it does; asked to look at the young objects more
 * often, which takes a millisecond, it keeps a transfer at half of that.
 */
export function collectGarbageAfter(bytes: number): void {
  bytesSinceCollection += bytes;
  if (bytesSinceCollection >= intervalBytes) {
    bytesSinceCollection = 0;
    collect ??= loadCollector();
    collect({ type: "minor" });
  }
}

/** The collector's own function, which is there in a context that is made while the flag is set. */
function loadCollector(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (found as CollectGarbage) : () => {};
}
