import type { PendingStart } from "../resources/pendingStart";
import type { Settings } from "../settings/settings";
import { type Deleted, RecordedStart } from "./recordedStart";
import type { HandOver, Session } from "./session";

/** The pending starts of one `create`. */
export class PendingStarts {
  readonly #opened: RecordedStart[] = [];

  readonly #session: Session;
  readonly #address: string | undefined;
  readonly #settings: () => Settings;
  readonly #warn: (text: string) => void;
  readonly #deleted: Deleted | undefined;

  constructor(
    session: Session,
    address: string | undefined,
    settings: () => Settings,
    warn: (text: string) => void,
    deleted?: Deleted,
  ) {
    this.#session = session;
    this.#address = address;
    this.#settings = settings;
    this.#warn = warn;
    this.#deleted = deleted;
  }

  /** Opens a start. Without an address nothing is recorded, since two resources could not be distinguished. */
  open(request: unknown): PendingStart {
    if (this.#address === undefined) {
      return unrecorded(this.#session.world.newId());
    }
    const start = new RecordedStart(this.#session, this.#address, request, this.#settings(), this.#warn, this.#deleted);
    this.#opened.push(start);
    return start;
  }

  /**
   * Records that the host has received, or will receive, what was started. If the host is gone, nothing is recorded.
   */
  async handedOver(how: HandOver): Promise<void> {
    await Promise.all(this.#opened.map((start) => start.handedOver(how)));
  }

  /** Stops waiting for an answer: an answer that has not come by now does not come any more. */
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
    wasDismissed: false,
    idempotencyKey,
    before: async () => {},
    refused: async () => {},
    accepted: async () => {},
    discard: async () => {},
    settle: async () => {},
  };
}
