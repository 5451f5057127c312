import type { RawValues } from "../../definitions/values";

/** Resources that this run has deleted, each until the resource is created that takes its place. */
export class DeletedResources<Deleted> {
  readonly #all = new Map<Deleted, (inputs: RawValues) => boolean>();

  /** @param isSuccessor recognizes the new resource by its inputs. */
  add(deleted: Deleted, isSuccessor: (inputs: RawValues) => boolean): void {
    this.#all.set(deleted, isSuccessor);
  }

  /** @returns the resource that a new resource with these inputs replaces. Any of several equal ones may be returned. */
  take(inputs: RawValues): Deleted | undefined {
    const [found] = [...this.#all].find(([, isSuccessor]) => isSuccessor(inputs)) ?? [];
    if (found !== undefined) {
      this.#all.delete(found);
    }
    return found;
  }
}
