import type { RawValues } from "../definitions/values";
import type { NamedTimeLimit, OperationContext } from "../resources/lifecycle";
import type { PendingStart } from "../resources/pendingStart";
import type { CheckedSettings } from "../settings/settings";
import { RecordedStart } from "./recordedStart";
import type { Session } from "./session";
import { throttleStatus } from "./throttleStatus";

export interface BaseOperation {
  /** The resource's name in the journal, the same in every run. Without an address, the journal records nothing. */
  address?: string | undefined;
  settings: CheckedSettings;
  timeLimit?: NamedTimeLimit | undefined;
}

export interface ExistingResourceOperation extends BaseOperation {
  id: string;
  state: RawValues;
}

export interface Creation extends BaseOperation {
  inputs: RawValues;
  /** The state of the resource that is being replaced, if the host passes that state. */
  replaced?: RawValues | undefined;
  /**
   * A time by the platform's clock. If the platform answered the start of a job before this time, this create does not
   * continue the job.
   */
  after?: number | undefined;
}

export interface Update extends ExistingResourceOperation {
  inputs: RawValues;
  /** The inputs of the last run, if the host passes them. */
  before?: RawValues | undefined;
}

export function createOperationContext(operation: BaseOperation, session: Session, after?: number) {
  const { address, settings, timeLimit } = operation;
  const { clock, mirrors } = session.runtime;
  const status = (text: string) => session.status(address, text);
  const starts: RecordedStart[] = [];
  const context: OperationContext = {
    clock,
    owner: address ?? "",
    signal: session.signal,
    settings: () => settings.need("platform"),
    signingKey: () => settings.need("signing"),
    mirrors,
    connect: async () => session.connect(settings.need("requests")),
    hasMade: (id) => session.made.has(id),
    bundlesDue: session.bundlesDue,
    savedState: async () => (address === undefined ? undefined : session.savedState(address)),
    status: throttleStatus(status, () => clock.monotonic()),
    lastStatus: status,
    pendingStart(request): PendingStart {
      const journal = settings.need("journal");
      if (address === undefined) {
        return unrecorded(session.runtime.newId());
      }
      const { requestTimeout } = settings.need("requests");
      const start = new RecordedStart(session, address, request, { journal, requestTimeout }, after);
      starts.push(start);
      return start;
    },
    warn: (text) => session.warn(address, text),
    info: (text) => session.info(address, text),
    ...(timeLimit !== undefined && { timeLimit }),
  };
  return { context, starts };
}

/** For resources without an address: the journal could not distinguish their starts. */
function unrecorded(idempotencyKey: string): PendingStart {
  return {
    entry: undefined,
    removal: undefined,
    idempotencyKey,
    before: async () => {},
    refused: async () => {},
    accepted: async () => {},
    discard: async () => {},
    adopted: async () => {},
  };
}
