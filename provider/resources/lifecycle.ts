import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { KeyFromFileOrCommand } from "../settings/apiKeySource";
import type { PlatformSettings } from "../settings/settings";
import type { DocsPlatformError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import type { MirrorLibrary } from "./mirrorLibrary";
import type { PendingStart } from "./pendingStart";

export interface InputChanges {
  /** The changed inputs that require a replacement. An unknown input counts as changed, unless `assumed` lists it. */
  replacing: string[];
  updating: string[];
  /** The unknown inputs that count as unchanged. */
  assumed: string[];
}

export interface ChangeDecision {
  replaces: string[];
  update: boolean;
  /**
   * The outputs that are unknown until the update has run. An output that is not listed keeps its value, unless it
   * repeats a changed input.
   */
  changingOutputs: readonly string[] | "all";
  /** If no input has changed: the reason for the operation, as text for the user. */
  reason?: string | undefined;
}

export interface NamedTimeLimit {
  /** In milliseconds. */
  duration: number;
  name: string;
}

export interface OperationContext {
  clock: Clock;
  /** The resource's name in this stack, the same in every run. It is stored where other people may read it. */
  owner: string;
  signal: AbortSignal;
  timeLimit?: NamedTimeLimit;
  /** @throws ConfigurationError if a setting is missing or invalid. The settings do not contain the API key. */
  settings(): PlatformSettings;
  /** @throws ConfigurationError if a setting of the key is invalid. */
  signingKey(): KeyFromFileOrCommand | undefined;
  /** @throws ConfigurationError if a setting is invalid, or if the API key is missing. */
  connect(): Promise<PlatformClient>;
  mirrors(): Promise<MirrorLibrary>;
  /** @param request everything that distinguishes one start from another. */
  pendingStart(request: unknown): PendingStart;
  hasMade(id: string): boolean;
  /** The key is the id of a completed job. Until the deadline, the platform may still lack the bundle of the job. */
  bundlesDue: Map<string, Deadline>;
  /** The saved state of the resource that this `create` replaces. The call takes about a second. */
  savedState(): Promise<RawValues | undefined>;
  /** Shows the status of a wait on the resource's own row, while the wait lasts. */
  status(text: string): void;
  /** Shows the last status of the operation. Unlike `status`, it drops no text. */
  lastStatus(text: string): void;
  warn(text: string): void;
  /** Shows a permanent line that asks for no action. */
  info(text: string): void;
}

/** The resource exists, and the host decides how to report a problem. A thrown error means that nothing was changed. */
export interface WriteOutcome<State extends object = RawValues> {
  id: string;
  state: State;
  problem?: DocsPlatformError;
  /** True if only the wait has ended early. The job continues, and an update waits for it again. */
  goesOn?: boolean;
}

/**
 * The operations of one kind of resource. A state contains a copy of every input that a plan compares with the
 * program's inputs. An imported state gets missing inputs later. The host's own copy may be old after a failed update.
 */
export interface Lifecycle<Inputs, State extends object> {
  /** Decides from the state, the inputs and the time alone, without a request. An input may be unknown. */
  decide(state: State, inputs: RawValues, changes: InputChanges, now: number): ChangeDecision;
  /** @param earlier the state of the resource that the new one replaces, if the run has seen it. */
  create(inputs: Inputs, context: OperationContext, earlier?: State): Promise<WriteOutcome<State>>;
  /** @returns undefined if the resource no longer exists. */
  read(id: string, state: Partial<State>, context: OperationContext): Promise<State | undefined>;
  update(id: string, state: State, inputs: Inputs, context: OperationContext): Promise<WriteOutcome<State>>;
  /** Deletes files outside the platform. A resource without this method is only removed from the state. */
  delete?(
    id: string,
    state: State,
    context: Pick<OperationContext, "clock" | "signal" | "timeLimit" | "mirrors" | "hasMade" | "warn">,
  ): Promise<void>;
}
