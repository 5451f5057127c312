import { connect } from "../platform/connect";
import type { Context } from "../resources/lifecycle";
import { systemClock } from "../support/clock";
import { printable } from "../support/printable";
import type { Settings } from "../support/settings";
import { runSignal } from "./cancellation";
import { engineLog } from "./engineLog";
import { PendingStarts } from "./pendingStarts";
import { throttleStatus } from "./statusThrottle";
import { compileWebAssemblyOnce } from "./webAssembly";

/** What both hosts give to a resource, and what they do with it around a create. */
export interface HostContext extends Context {
  pendingStarts: PendingStarts;
}

/**
 * What both hosts give to a resource.
 * @param urn of the resource, where the host knows it: its row in the display, and what the journal knows it by.
 * @param timeLimit the engine's own limit of this operation, in milliseconds.
 * @param signal aborts when the run is cancelled.
 */
export function createContext(
  urn: string | undefined,
  settings: () => Settings,
  timeLimit?: number,
  signal: AbortSignal = runSignal,
): HostContext {
  const warn = (text: string) => engineLog.warn(urn, printable(text));
  const pendingStarts = new PendingStarts(urn, settings, warn);
  return {
    clock: systemClock,
    signal,
    settings,
    async connect() {
      compileWebAssemblyOnce();
      return connect(settings());
    },
    status: throttleStatus((text) => engineLog.status(urn, printable(text)), systemClock.now),
    pendingStart: (request) => pendingStarts.open(request),
    pendingStarts,
    warn,
    ...(timeLimit !== undefined && { timeLimit }),
  };
}
