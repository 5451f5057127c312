import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { GivenSettings } from "../settings/settings";
import type { DocsPlatformError } from "../support/errors";
import type { RunSpan } from "../support/span";
import type { Clock } from "../support/time/clock";
import type { MirrorLibrary } from "./mirrorLibrary";
import type { PendingStart } from "./pendingStart";

/** The inputs that differ from the state, by the effect of their change. */
export interface Changes {
  /**
   * The inputs whose change replaces the resource. An input that is not known yet counts as changed, unless its
   * definition assumes no change: a preview must not show less than the run does.
   */
  replacing: string[];
  updating: string[];
  /** The inputs that are not known yet and count as unchanged. */
  assumed: string[];
}

/** The time of a machine's clock. */
export interface ClockReading {
  /** The time, in milliseconds since the epoch. */
  now: number;
  /** See {@link Clock}. If it is missing, nothing is known about this clock. */
  machine?: string | undefined;
}

/** The decision of a resource about its state and the changes. A host shows it before the run. */
export interface Decision {
  /** The properties that require a replacement. */
  replaces: string[];
  /** True if the resource must be updated in place. */
  update: boolean;
  /** The outputs that an update sets anew, whatever they were before. All other changes follow from the inputs. */
  changingOutputs: readonly string[] | "all";
  /**
   * The reason, for a person, if there is something to do although no input has changed: time has passed, or something
   * has changed outside.
   */
  reason?: string | undefined;
}

/** A time limit of the host for one operation. */
export interface TimeLimit {
  /** The longest time that the operation may take, in milliseconds. */
  duration: number;
  /** The name of the limit in a program. */
  name: string;
}

/** The environment of a resource. Each host provides its own. */
export interface Context {
  clock: Clock;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  timeLimit?: TimeLimit;
  /**
   * Returns the settings. The key may be missing, since only an operation that sends requests needs it.
   * @throws ConfigurationError
   */
  settings(): GivenSettings;
  /** @throws ConfigurationError, also if the key is missing. */
  connect(): Promise<PlatformClient>;
  /** Opens destinations and downloads of mirrors. */
  mirrors(): Promise<MirrorLibrary>;
  /**
   * Opens the record of a start. For `create` only. The request contains everything that distinguishes one start from
   * another.
   */
  pendingStart(request: unknown): PendingStart;
  /** Returns true if this run has created what has this id: then it is of the platform of this run. */
  hasMade(id: string): boolean;
  /**
   * Returns what the host's state has of this resource at this moment, if the host can be asked, which takes a second. In a
   * `create` it is the resource that is replaced.
   */
  savedState(): Promise<RawValues | undefined>;
  /** Shows the status of a wait on the resource's own row, while the wait lasts. */
  status(text: string): void;
  /**
   * Shows how an operation has ended, in place of the last status. The text is always shown, even right after another
   * status.
   */
  lastStatus(text: string): void;
  /** Shows a permanent warning. */
  warn(text: string): void;
  /** Shows a permanent line that asks for no action. */
  info(text: string): void;
  /** Writes to the debug log of a run. */
  debug(text: string): void;
  /** Runs a piece of work as a span in the trace of the run. Its attributes contain no key and no link. */
  span: RunSpan;
}

/**
 * One resource, independent of any host: all hosts share it. `state` is what the engine keeps (the outputs). It repeats
 * every input that a later plan compares, since a failed update is saved with the old inputs and the new outputs.
 */
export interface Lifecycle<Inputs, State extends object> {
  /** Decides from the state, the inputs and the clock alone, and sends no request. An input may be unknown. */
  decide(state: State, inputs: RawValues, changes: Changes, reading: ClockReading): Decision;
  /** @param earlier the state of the resource that this resource replaces, if the run has seen it. */
  create(inputs: Inputs, context: Context, earlier?: State): Promise<{ id: string; state: State }>;
  /** @returns undefined if the resource no longer exists. */
  read(id: string, state: Partial<State>, context: Context): Promise<State | undefined>;
  update(id: string, state: State, inputs: Inputs, context: Context): Promise<State>;
  /**
   * Returns true if the work in the state has begun and not ended. If the resource were created again, this work would
   * begin a second time.
   */
  isUnderWay?(state: Partial<State>): boolean;
  /**
   * Deletes what exists outside the platform. Without this method, the engine only forgets the resource. Needs no
   * setting.
   */
  delete?(
    id: string,
    state: State,
    context: Pick<Context, "clock" | "signal" | "timeLimit" | "mirrors" | "warn">,
  ): Promise<void>;
}

/**
 * An error after the resource has begun to exist. The host saves `id` and `state`, so that nothing is lost and the next
 * run continues from there.
 */
export class PartialFailure<State extends object> extends Error {
  constructor(
    readonly id: string,
    readonly state: State,
    readonly reason: DocsPlatformError,
  ) {
    super(reason.message);
  }
}
