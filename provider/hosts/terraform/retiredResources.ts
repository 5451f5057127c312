import type { RawValues } from "../../definitions/values";
import { differs } from "../../resources/compare";

/** A resource that Terraform has deleted for a replacement, and whose files still exist. */
export interface Retired {
  id: string;
  state: RawValues;
  /** The inputs of the successor that the plan knew. */
  successor: RawValues;
}

/**
 * The resources that stay until their successor exists. By default Terraform deletes first, and the successor may never
 * exist: its new export may fail.
 */
export class RetiredResources {
  readonly #all = new Set<Retired>();

  add(retired: Retired): void {
    this.#all.add(retired);
  }

  /** @returns the resource that a new resource with these inputs replaces. */
  take(inputs: RawValues): Retired | undefined {
    const found = [...this.#all].find(({ successor }) =>
      Object.entries(successor).every(([name, value]) => !differs(value, inputs[name])),
    );
    if (found !== undefined) {
      this.#all.delete(found);
    }
    return found;
  }
}
