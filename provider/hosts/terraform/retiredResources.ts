import type { RawValues } from "../../definitions/values";
import { differs } from "../../resources/compare";

/** Resources that Terraform has deleted for a replacement, and whose files are still there. */
export interface Retired {
  id: string;
  state: RawValues;
  /** The inputs of the successor, as far as the plan knew them. */
  successor: RawValues;
}

/**
 * What stays until its successor is there. By default Terraform deletes first, and the successor may never come: its new
 * export may fail.
 */
export class RetiredResources {
  readonly #all = new Set<Retired>();

  add(retired: Retired): void {
    this.#all.add(retired);
  }

  /** @returns what a new resource of these inputs comes in place of. */
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
