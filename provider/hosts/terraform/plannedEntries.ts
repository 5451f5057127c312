import { type RawValues, unknown } from "../../definitions/values";
import { dropSavedEntryNow } from "../../engine/evidence";
import { leftIn } from "../../engine/left";
import { holdsUnknown } from "../../resources/compare";
import type { KnownObjects } from "./knownObjects";
import type { ResourceKind } from "./resourceKind";

/** The journal's entries that a plan changes, so that the creates of its apply find what they continue. */
export class PlannedEntries {
  readonly #kind: ResourceKind;
  readonly #objects: KnownObjects;
  /** The ids of the objects whose work this plan has recorded. */
  readonly #recorded = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(kind: ResourceKind, objects: KnownObjects) {
    this.#kind = kind;
    this.#objects = objects;
  }

  /** Removes the entry of an object that is updated or replaced: the create of a replacement sees nothing of this state. */
  drop(state: RawValues): Promise<void> {
    const { session, settings } = this.#kind;
    return this.#afterLast(() => dropSavedEntryNow(session, settings().journalPlace(), state));
  }

  /**
   * Records what a create with these inputs continues, and nothing else of what earlier plans have recorded for it. If the
   * new object is created before the old one is deleted, the create sees nothing but the journal.
   * @throws ConfigurationError if the journal's place is not known: without it, a second job might be started.
   */
  renew(inputs: RawValues): Promise<void> {
    return this.#afterLast(() => this.#renew(inputs));
  }

  async #renew(inputs: RawValues): Promise<void> {
    const { session, settings } = this.#kind;
    if (session.applies || this.#objects.isEmpty) {
      return;
    }
    const all = this.#objects.all();
    const alike = all.filter(({ state }) => this.#kind.asksForSame(inputs, state));
    for (const { id, state } of alike.filter(({ id, isLeft }) => isLeft && !this.#recorded.has(id))) {
      this.#recorded.add(id);
      if (settings().journalPlace() === unknown) {
        settings().given();
      }
      // Where nothing is read, an entry tells that the create failed: a read removes it otherwise.
      const mayBeNew = this.#objects.isRead;
      await this.#kind.journalOf(state)?.continueLater(leftIn(id, state), { planned: true, mayBeNew });
    }
    const known = new Map(all.map(({ id, isLeft }) => [id, isLeft]));
    // While the plan does not know an input, the create may ask for the same as any of these states.
    for (const request of holdsUnknown(inputs) ? alike.map(({ state }) => state) : [inputs]) {
      await this.#kind
        .journalOf(request)
        ?.forget(({ id = "", planned = false }) => (known.has(id) ? !known.get(id) : planned));
    }
  }

  #afterLast(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work);
    return this.#last;
  }
}
