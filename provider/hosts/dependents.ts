import { holdsUnknown } from "../resources/compare";
import type { Decision, RawInputs } from "../resources/lifecycle";

/**
 * Before the engine deletes what it is to replace, it asks which dependents have to go first: by a diff without a check,
 * with unknown in place of what they take from it. None of ours has to: an archive stays until the new one is there, and a
 * message whose text turns out to be the same is not sent again. What a preview does not know has been through check.
 */
export class Dependents {
  /** The resources of which a check in this process has seen something unknown. */
  readonly #previewed = new Set<string>();

  checked(urn: string | undefined, inputs: RawInputs): void {
    if (urn !== undefined && holdsUnknown(inputs)) {
      this.#previewed.add(urn);
    }
  }

  /** @returns the answer, where the engine asks so. */
  answer(urn: string | undefined, inputs: RawInputs): Decision | undefined {
    const asked = urn !== undefined && !this.#previewed.has(urn) && holdsUnknown(inputs);
    return asked ? { replaces: [], update: false, sets: [] } : undefined;
  }
}
