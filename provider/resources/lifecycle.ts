import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { RereadSource } from "../settings/apiKeySource";
import type { PlatformSettings } from "../settings/settings";
import type { DocsPlatformError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import type { MirrorLibrary } from "./mirrorLibrary";
import type { PendingStart } from "./pendingStart";

export interface InputChanges {
  /**
   * The changed inputs that make a replacement of the resource necessary. An unknown input counts as changed, unless it
   * is listed in `assumed`.
   */
  replacing: string[];
  updating: string[];
  /** The unknown inputs that count as unchanged. */
  assumed: string[];
}

export interface ChangeDecision {
  replaces: string[];
  update: boolean;
  /**
   * The outputs whose new values are unknown until the update has run. An output that is not listed keeps its value,
   * unless it repeats an input that changes.
   */
  changingOutputs: readonly string[] | "all";
  /** The reason for an operation, as text for the user, if no input has changed. */
  reason?: string | undefined;
}

export interface TimeLimit {
  /** The length of the time limit, in milliseconds. */
  duration: number;
  name: string;
}

export interface OperationContext {
  clock: Clock;
  /** The resource's name in this stack, the same in every run. It is stored where other people may read it. */
  owner: string;
  signal: AbortSignal;
  timeLimit?: TimeLimit;
  /**
   * Returns the settings without the API key. `connect` uses the key.
   * @throws ConfigurationError if a setting is missing or invalid.
   */
  settings(): PlatformSettings;
  /**
   * @returns undefined if the user has configured no signing key.
   * @throws ConfigurationError if a setting of the key is invalid.
   */
  signingKey(): RereadSource | undefined;
  /** @throws ConfigurationError if a setting is invalid, or if the API key is missing. */
  connect(): Promise<PlatformClient>;
  mirrors(): Promise<MirrorLibrary>;
  /**
   * Opens the record of a start. Only `create` calls it.
   * @param request everything that distinguishes one start from another.
   */
  pendingStart(request: unknown): PendingStart;
  hasMade(id: string): boolean;
  /**
   * The key is the id of an export job that this run has seen completed. Until the deadline, the platform may not have
   * the job's bundle yet.
   */
  bundlesDue: Map<string, Deadline>;
  /**
   * Returns the saved state of the resource that this `create` replaces. Returns undefined if the host's state cannot
   * be read. The call takes about a second.
   */
  savedState(): Promise<RawValues | undefined>;
  /** Shows the status of a wait on the resource's own row, while the wait lasts. */
  status(text: string): void;
  /** Shows the last status of the operation. Unlike `status`, it never leaves out a text that follows another fast. */
  lastStatus(text: string): void;
  warn(text: string): void;
  /** Shows a permanent line that asks for no action. */
  info(text: string): void;
}

/**
 * The result of a create or an update, which a lifecycle returns to its host. If the resource exists, a problem is a
 * part of the result, and the host decides how to report it. A thrown error means that nothing was changed.
 */
export interface WriteOutcome<State extends object = RawValues> {
  id: string;
  state: State;
  problem?: DocsPlatformError;
  /** True if only the wait has ended early. The job continues, and an update waits for it again. */
  goesOn?: boolean;
}

/**
 * The operations of one kind of resource, independent of any host. The state repeats every input that a later plan
 * compares. After a failed update, the host saves the new outputs, but keeps the old inputs, so only the outputs show
 * which inputs the resource really has.
 */
export interface Lifecycle<Inputs, State extends object> {
  /** Decides from the state, the inputs and the time alone, without a request. An input may be unknown. */
  decide(state: State, inputs: RawValues, changes: InputChanges, now: number): ChangeDecision;
  /** @param earlier the state of the resource that the new one replaces, if the run has seen it. */
  create(inputs: Inputs, context: OperationContext, earlier?: State): Promise<WriteOutcome<State>>;
  /** @returns undefined if the resource no longer exists. */
  read(id: string, state: Partial<State>, context: OperationContext): Promise<State | undefined>;
  update(id: string, state: State, inputs: Inputs, context: OperationContext): Promise<WriteOutcome<State>>;
  /**
   * Deletes the files that the resource has stored outside the platform, for example in a bucket. This needs no
   * setting. A resource without this method is only removed from the state.
   */
  delete?(
    id: string,
    state: State,
    context: Pick<OperationContext, "clock" | "signal" | "timeLimit" | "mirrors" | "hasMade" | "warn">,
  ): Promise<void>;
}
