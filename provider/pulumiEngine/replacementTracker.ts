import type { RawValues } from "../definitions/values";
import type { Plan } from "../engine/plan";
import { holdsUnknown } from "../resources/compare";

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

  planned(urn: string | undefined, state: RawValues, { action }: Plan): void {
    if (urn !== undefined && action === "replace") {
      this.#replaced.set(urn, state);
    }
  }

  /** Returns the state of the resource that a create replaces. */
  replaced(urn: string | undefined): RawValues | undefined {
    return this.#replaced.get(urn ?? "");
  }
}
