import type { RawValues } from "../../definitions/values";
import { dropSavedEntryNow } from "../../engine/evidence";
import { leftIn } from "../../engine/left";
import { holdsUnknown } from "../../resources/compare";
import type { KnownObjects } from "./knownObjects";
import type { ResourceKind } from "./resourceKind";

/** The journal's entries that a plan changes, so that the creates of its apply find what they continue. */
export class PlannedEntries {
  readonly #kind: ResourceKind;
  readonly #objects: KnownObjects;
  /** The names of the entries that this plan has recorded. */
  readonly #recorded = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(kind: ResourceKind, objects: KnownObjects) {
    this.#kind = kind;
    this.#objects = objects;
  }

  /**
   * Records that the next create continues the work of this object. If the new object is created before the old one is
   * deleted, the create sees nothing but the journal.
   */
  record(id: string, state: RawValues): Promise<void> {
    return this.#afterLast(async () => {
      const name = await this.#kind.journalOf(state)?.continueLater(leftIn(id, state), true);
      this.#recorded.add(name ?? "");
    });
  }

  /** Removes the entry of an object that is updated or replaced: the create of a replacement sees nothing of this state. */
  drop(state: RawValues): Promise<void> {
    const { session, settings } = this.#kind;
    return this.#afterLast(() => dropSavedEntryNow(session, settings().journalPlace(), state));
  }

  /** Before a create, removes what earlier plans have recorded for it. Without a read, the states tell what is under way. */
  renew(inputs: RawValues): Promise<void> {
    return this.#afterLast(() => this.#renew(inputs));
  }

  async #renew(inputs: RawValues): Promise<void> {
    const { definition, session } = this.#kind;
    if (session.applies || this.#objects.isEmpty) {
      return;
    }
    const { isRead } = this.#objects;
    const states = isRead ? [] : this.#objects.given();
    const underWay = new Map(states.map(([id, state]) => [id, definition.isUnderWay(state)]));
    // While the plan does not know an input, the create may ask for the same as any of these states.
    const requests = holdsUnknown(inputs)
      ? states.map(([, state]) => state).filter((state) => this.#kind.asksForSame(inputs, state))
      : [inputs];
    for (const request of requests) {
      await this.#kind.journalOf(request)?.renewPlanned(({ name, id, planned }) => {
        if (isRead) {
          return planned && !this.#recorded.has(name) ? "gone" : "same";
        }
        const isUnderWay = underWay.get(String(id));
        return isUnderWay === undefined ? "same" : isUnderWay ? "planned" : "gone";
      });
    }
  }

  #afterLast(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work);
    return this.#last;
  }
}
