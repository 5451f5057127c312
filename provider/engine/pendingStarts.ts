import type { PendingStart } from "../resources/pendingStart";
import type { Settings } from "../settings/settings";
import type { Predecessor } from "./left";
import { RecordedStart } from "./recordedStart";
import type { Session } from "./session";

/** The pending starts of one `create`. */
export class PendingStarts {
  readonly #opened: RecordedStart[] = [];
  readonly #session: Session;
  readonly #record: (request: unknown) => RecordedStart | undefined;

  /** @param address undefined if two resources could not be distinguished: then nothing is recorded. */
  constructor(
    session: Session,
    address: string | undefined,
    settings: () => Settings,
    warn: (text: string) => void,
    predecessor?: Predecessor,
  ) {
    this.#session = session;
    this.#record = (request) =>
      address === undefined ? undefined : new RecordedStart(session, address, request, settings(), warn, predecessor);
  }

  open(request: unknown): PendingStart {
    const start = this.#record(request);
    if (start === undefined) {
      return unrecorded(this.#session.world.newId());
    }
    this.#opened.push(start);
    return start;
  }

  /** Records that the host has received what was started. If the host is gone, nothing is recorded. */
  async handedOver(): Promise<void> {
    await Promise.all(this.#opened.map((start) => start.handedOver()));
  }

  /** Stops waiting for answers. An answer that has not come by now will not come any more. */
  end(): void {
    for (const start of this.#opened) {
      this.#session.answered(start);
    }
  }
}

function unrecorded(idempotencyKey: string): PendingStart {
  return {
    entry: undefined,
    dismissal: undefined,
    dismissedStart: undefined,
    idempotencyKey,
    before: async () => {},
    refused: async () => {},
    accepted: async () => {},
    discard: async () => {},
    settle: async () => {},
  };
}
