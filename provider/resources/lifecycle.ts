import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { GivenSettings } from "../settings/settings";
import type { DocsPlatformError } from "../support/errors";
import type { RunSpan } from "../support/span";
import type { Clock } from "../support/time/clock";
import type { MirrorLibrary } from "./mirrorLibrary";
import type { PendingStart } from "./pendingStart";

/** Which inputs differ from the state, by what a change of them does. */
export interface Changes {
  /** One that is not known yet counts as changed, unless the definition has it assumed: a preview says no less than the run does. */
  replacing: string[];
  updating: string[];
  /** The inputs that are not known yet and are taken for unchanged. */
  assumed: string[];
}

/** What a machine's clock shows. */
export interface ClockReading {
  /** In milliseconds since the epoch. */
  now: number;
  /** See {@link Clock}; without it nothing is known of that clock. */
  machine?: string | undefined;
}

/** What a resource makes of its state and of the changes: all that a host shows of a run before it. */
export interface Decision {
  /** The properties that make a replacement necessary. */
  replaces: string[];
  /** True where the resource must be updated in place. */
  update: boolean;
  /** The outputs that an update sets anew, whatever they were before; the inputs tell all others that change. */
  changingOutputs: readonly string[] | "all";
  /** For a person: why there is something to do where no input has changed. Time has passed, or something has changed. */
  reason?: string | undefined;
}

/** A limit of the host's own for one operation. */
export interface TimeLimit {
  /** Milliseconds. */
  duration: number;
  /** What a program calls it. */
  name: string;
}

/** What a resource needs of the world around it; each host brings its own. */
export interface Context {
  clock: Clock;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  timeLimit?: TimeLimit;
  /** The key may be missing: only what sends needs it. @throws ConfigurationError */
  settings(): GivenSettings;
  /** @throws ConfigurationError also where the key is missing. */
  connect(): Promise<PlatformClient>;
  /** Opens destinations and downloads of mirrors. */
  mirrors(): Promise<MirrorLibrary>;
  /** For `create` only: opens what is recorded of a request. A request is whatever tells one start from another. */
  pendingStart(request: unknown): PendingStart;
  /** Shows how a wait stands on the resource's own row, as long as it lasts. */
  status(text: string): void;
  /** Shows how an operation has ended, in the place of the last status. It is shown however soon it comes. */
  lastStatus(text: string): void;
  /** Shows a warning that stays. */
  warn(text: string): void;
  /** Shows a line that stays, and that asks for nothing. */
  info(text: string): void;
  /** Writes to the log of a run that is debugged. */
  debug(text: string): void;
  /** Shows a piece of work in the trace of the run; what is told of it holds no key and no link. */
  span: RunSpan;
}

/**
 * One resource, free of any host: what the dynamic provider and a plugin have in common.
 * `state` is what the engine keeps (the outputs). It repeats every input that a later plan compares, since a failed
 * update is saved with the old inputs and the new outputs.
 */
export interface Lifecycle<Inputs, State extends object> {
  /** Decides from the state, the inputs and the clock alone, and sends nothing. An input may be unknown. */
  decide(state: State, inputs: RawValues, changes: Changes, reading: ClockReading): Decision;
  /** @param earlier the state of what this one replaces, where the run has seen it. */
  create(inputs: Inputs, context: Context, earlier?: State): Promise<{ id: string; state: State }>;
  /** @returns undefined where the thing is gone. */
  read(id: string, state: Partial<State>, context: Context): Promise<State | undefined>;
  update(id: string, state: State, inputs: Inputs, context: Context): Promise<State>;
  /** Whether what the state tells of has begun and not ended: created again, it would be begun a second time. */
  isUnderWay?(state: Partial<State>): boolean;
  /** It is in the state by an import. Of what was started with these inputs, an answer that was lost is settled by it. */
  settleImported?(id: string, inputs: Inputs, context: Context): Promise<void>;
  /**
   * For what exists beyond the platform; without it, to forget is all there is. Needs no setting.
   */
  delete?(
    id: string,
    state: State,
    context: Pick<Context, "clock" | "signal" | "timeLimit" | "mirrors" | "warn">,
  ): Promise<void>;
}

/**
 * Something failed after the resource had come to exist. The host saves `id` and `state`, so that nothing is lost and
 * the next run goes on from there.
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
