import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { RereadSource } from "../settings/apiKeySource";
import type { PlatformSettings } from "../settings/settings";
import type { DocsPlatformError } from "../support/errors";
import type { Clock } from "../support/time/clock";
import type { Deadline } from "../support/time/deadline";
import type { MirrorLibrary } from "./mirrorLibrary";
import type { PendingStart } from "./pendingStart";

export interface Changes {
  /** The inputs whose change replaces the resource. An input that is not known yet counts as changed, unless assumed. */
  replacing: string[];
  updating: string[];
  /** The inputs that are not known yet and count as unchanged. */
  assumed: string[];
}

export interface Decision {
  replaces: string[];
  update: boolean;
  /** The outputs that an update sets anew, whatever they were before. All other changes follow from the inputs. */
  changingOutputs: readonly string[] | "all";
  /** The reason, for a person, if there is something to do although no input has changed. */
  reason?: string | undefined;
}

export interface TimeLimit {
  /** Milliseconds. */
  duration: number;
  name: string;
}

export interface Context {
  clock: Clock;
  /** The name of this resource of this stack, the same in every run. Others may read it. */
  owner: string;
  signal: AbortSignal;
  timeLimit?: TimeLimit;
  /** All but the key, since only an operation that sends requests needs it. @throws ConfigurationError */
  settings(): PlatformSettings;
  /** @returns undefined if no key is given, so that nothing is signed. @throws ConfigurationError */
  signingKey(): RereadSource | undefined;
  /** @throws ConfigurationError, also if the key is missing. */
  connect(): Promise<PlatformClient>;
  mirrors(): Promise<MirrorLibrary>;
  /** Opens the record of a start, for `create` only. The request holds all that tells one start from another. */
  pendingStart(request: unknown): PendingStart;
  hasMade(id: string): boolean;
  /** By each export job that this run has seen completed: until when the platform may not have its bundle yet. */
  bundlesDue: Map<string, Deadline>;
  /** Returns the saved state of the resource that this `create` replaces, if the host can be asked. Takes a second. */
  savedState(): Promise<RawValues | undefined>;
  /** Shows the status of a wait on the resource's own row, while the wait lasts. */
  status(text: string): void;
  /** Shows how an operation has ended, in place of the last status, even right after another one. */
  lastStatus(text: string): void;
  warn(text: string): void;
  /** Shows a permanent line that asks for no action. */
  info(text: string): void;
}

/**
 * The result of a create or an update, from a lifecycle to its host. A problem after the resource has begun to exist is a
 * part of it: what is thrown instead has changed nothing. The host decides how to tell a problem.
 */
export interface Outcome<State extends object> {
  id: string;
  state: State;
  problem?: DocsPlatformError;
  /** True if only a wait has ended early: what was started goes on, and an update waits for it again. */
  goesOn?: boolean;
}

/**
 * One resource, independent of any host. Its state repeats every input that a later plan compares, since a failed
 * update is saved with the old inputs and the new outputs.
 */
export interface Lifecycle<Inputs, State extends object> {
  /** Decides from the state, the inputs and the time alone, and sends no request. An input may be unknown. */
  decide(state: State, inputs: RawValues, changes: Changes, now: number): Decision;
  /** @param earlier the state of the resource that this resource replaces, if the run has seen it. */
  create(inputs: Inputs, context: Context, earlier?: State): Promise<Outcome<State>>;
  /** @returns undefined if the resource no longer exists. */
  read(id: string, state: Partial<State>, context: Context): Promise<State | undefined>;
  update(id: string, state: State, inputs: Inputs, context: Context): Promise<Outcome<State>>;
  /** Deletes what exists outside the platform, without any setting. Without this method, a resource is only forgotten. */
  delete?(
    id: string,
    state: State,
    context: Pick<Context, "clock" | "signal" | "timeLimit" | "mirrors" | "hasMade" | "warn">,
  ): Promise<void>;
}
