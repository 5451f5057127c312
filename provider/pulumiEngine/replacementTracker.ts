import type { RawValues } from "../definitions/values";
import type { Plan } from "../engine/plan";
import { holdsUnknown } from "../resources/compare";

/** What earlier calls for a resource tell of a later one: the engine asks step by step, and repeats nothing. */
export class ReplacementTracker {
  /** By URN, the state of what this run replaces: the engine tells it to diff, and not to the create that follows. */
  readonly #replaced = new Map<string, RawValues>();
  /** The resources of which a check in this process has seen something unknown. */
  readonly #previewed = new Set<string>();

  checked(urn: string | undefined, inputs: RawValues): void {
    if (urn !== undefined && holdsUnknown(inputs)) {
      this.#previewed.add(urn);
    }
  }

  /**
   * Before the engine deletes what it is to replace, it asks which dependents have to go first: by a diff without a check,
   * with unknown in place of what they take from it. None of ours has to: an archive stays until the new one is there, and
   * a message whose text turns out to be the same is not sent again. What a preview does not know has been through check.
   */
  isAskedOfDependents(urn: string | undefined, inputs: RawValues): boolean {
    return urn !== undefined && !this.#previewed.has(urn) && holdsUnknown(inputs);
  }

  planned(urn: string | undefined, state: RawValues, { action }: Plan): void {
    if (urn !== undefined && action === "replace") {
      this.#replaced.set(urn, state);
    }
  }

  /** The state of what a create replaces. */
  replaced(urn: string | undefined): RawValues | undefined {
    return this.#replaced.get(urn ?? "");
  }
}
