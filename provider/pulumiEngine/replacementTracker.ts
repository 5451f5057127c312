import type { RawValues } from "../definitions/values";
import { remove } from "../engine/apply";
import { leftIn, type Predecessor } from "../engine/left";
import type { OnResource } from "../engine/operation";
import type { Plan } from "../engine/plan";
import type { Session } from "../engine/session";
import { StartJournal } from "../engine/startJournal";
import { holdsUnknown } from "../resources/compare";
import type { Resource } from "../resources/resource";

/**
 * Remembers what earlier calls for a resource tell about a later call: the engine asks step by step, and repeats
 * nothing.
 */
export class ReplacementTracker {
  /**
   * The states of the resources that this run replaces, by URN. The engine gives the state to diff, but not to the
   * create that follows.
   */
  readonly #replaced = new Map<string, RawValues>();
  /** The resources that this run continues, by URN: `replaceOnChanges` makes a replacement of that. */
  readonly #continued = new Map<string, Predecessor & { isCreated: boolean }>();
  /** The URNs of the resources whose check in this process has seen an unknown input. */
  readonly #previewed = new Set<string>();

  checked(urn: string | undefined, inputs: RawValues): void {
    if (urn !== undefined && holdsUnknown(inputs)) {
      this.#previewed.add(urn);
    }
  }

  /**
   * Returns true if the engine asks by this diff whether a dependent must be deleted first. The engine asks this before
   * it deletes a resource that it replaces: by a diff without a check, in which the inputs from that resource are
   * unknown. No resource of this provider must be deleted first: an archive stays until its successor exists, and a
   * message whose text stays the same is not sent again. Unknown inputs in a preview have passed a check.
   */
  isAskedOfDependents(urn: string | undefined, inputs: RawValues): boolean {
    return urn !== undefined && !this.#previewed.has(urn) && holdsUnknown(inputs);
  }

  planned(urn: string | undefined, id: string, state: RawValues, { action, continues }: Plan): void {
    if (urn === undefined) {
      return;
    }
    // The engine may make a replacement of an update, too.
    if (action !== "none") {
      this.#replaced.set(urn, state);
    }
    this.#continued.delete(urn);
    if (continues) {
      this.#continued.set(urn, { id, left: leftIn(id, state), isCreated: false });
    }
  }

  /** Returns the state of the resource that a create replaces, and the resource in whose place it continues. */
  replaced(urn = ""): { replaced: RawValues | undefined; predecessor: Predecessor | undefined } {
    const continued = this.#continued.get(urn);
    if (continued !== undefined) {
      continued.isCreated = true;
    }
    return { replaced: this.#replaced.get(urn), predecessor: continued };
  }

  /** Deletes a resource, unless it continues in its replacement. */
  async remove(definition: Resource, operation: OnResource, session: Session): Promise<void> {
    const { id, state } = operation;
    const continued = [...this.#continued.values()].find((one) => one.id === id);
    if (continued === undefined) {
      await remove(definition, operation, session);
    } else if (!continued.isCreated) {
      // With `deleteBeforeReplace` no state has it until the replacement is there.
      await StartJournal.of(definition, operation, state, session)?.continueLater(leftIn(id, state));
    }
  }
}
