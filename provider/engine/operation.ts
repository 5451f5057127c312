import type { RawValues } from "../definitions/values";
import type { Context, TimeLimit } from "../resources/lifecycle";
import type { PendingStart } from "../resources/pendingStart";
import type { DocsPlatformError } from "../support/errors";
import { printable } from "../support/printable";
import type { Predecessor } from "./left";
import { PendingStarts } from "./pendingStarts";
import type { Session } from "./session";
import type { SettingsReader } from "./settingsReader";
import { throttleStatus } from "./statusThrottle";

/** One call for one resource. */
export interface Operation {
  /**
   * Identifies the resource in every run. The journal finds the entries of a resource by it. Without an address nothing
   * is recorded.
   */
  address?: string | undefined;
  settings: SettingsReader;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  /** The host's time limit for the operation. */
  timeLimit?: TimeLimit | undefined;
}

/** An operation for a resource that exists. */
export interface OnResource extends Operation {
  id: string;
  state: RawValues;
}

/** The result of a create or an update, which the host saves even if the operation failed. */
export interface Applied {
  id: string;
  state: RawValues;
  /** Why the operation failed after the resource was created. The next run continues from this state. */
  problem?: DocsPlatformError;
}

/** Returns the context for a lifecycle, and the starts that the operation opens. */
export function contextFor(
  operation: Operation,
  session: Session,
  predecessor?: Predecessor,
): { context: Context; starts: PendingStarts } {
  const { address, settings, signal, timeLimit } = operation;
  const { clock, mirrors } = session.world;
  const status = (text: string) => session.status(address, printable(text));
  const warn = (text: string) => session.warn(address, printable(text));
  const starts = new PendingStarts(session, address, () => settings.require(), warn, predecessor);
  const context: Context = {
    clock,
    signal,
    settings: () => settings.given(),
    mirrors,
    connect: async () => session.connect(settings.require()),
    hasMade: (id) => session.made.has(id),
    savedState: async () => (address === undefined ? undefined : session.savedState(address)),
    status: throttleStatus(status, () => clock.now()),
    lastStatus: status,
    pendingStart: (request): PendingStart => starts.open(request),
    warn,
    info: (text) => session.info(address, printable(text)),
    debug: (text) => session.debug(address, printable(text)),
    span: session.trace.span,
    ...(timeLimit !== undefined && { timeLimit }),
  };
  return { context, starts };
}
