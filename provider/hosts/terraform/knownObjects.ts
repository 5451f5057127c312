import { type RawValues, unknown } from "../../definitions/values";
import { differs } from "../../resources/compare";
import type { ObjectPrivate } from "./privateState";
import type { ResourceKind } from "./resourceKind";

/** An object that a plan has read. */
interface ReadObject extends ObjectPrivate {
  state: RawValues;
}

/** The existing objects of one kind of resource that Terraform has named to this process. */
export class KnownObjects {
  readonly #kind: ResourceKind;
  /** The objects that this process has read, by their ids. */
  readonly #read = new Map<string, ReadObject>();
  /** The states that this process was given, as JSON: a plan that reads nothing (`-refresh=false`) has no others. */
  readonly #given: Uint8Array[] = [];
  readonly #parsed: [id: string, state: RawValues][] = [];

  constructor(kind: ResourceKind) {
    this.#kind = kind;
  }

  addGiven(json: Uint8Array): void {
    this.#given.push(json);
  }

  addRead(id: string, object: ReadObject): void {
    this.#read.set(id, object);
  }

  get isEmpty(): boolean {
    return this.#given.length + this.#parsed.length === 0;
  }

  get isRead(): boolean {
    return this.#read.size > 0;
  }

  /**
   * Returns the objects, each with its state, and whether its failed create has left work under way. Where nothing is read,
   * the states lack their internal properties, and nothing tells which creates have failed.
   */
  all(): { id: string; state: RawValues; isLeft: boolean }[] {
    const { isUnderWay } = this.#kind.definition;
    if (this.isRead) {
      return [...this.#read].map(([id, { state, failed = false }]) => ({
        id,
        state,
        isLeft: failed && isUnderWay(state),
      }));
    }
    this.#parsed.push(...this.#given.splice(0).map((json) => this.#kind.blocks.stateOfJson(json)));
    return this.#parsed.map(([id, state]) => ({ id, state, isLeft: isUnderWay(state) }));
  }

  /** Returns what was read of the objects that a new resource with these inputs may replace. */
  replaceableBy(inputs: RawValues): Record<string, ObjectPrivate> {
    const { identity } = this.#kind.definition;
    const isNamed = (state: RawValues) =>
      identity.every((name) => inputs[name] === unknown || !differs(inputs[name], state[name]));
    const found = [...this.#read].filter(([, { state }]) => isNamed(state) || this.#kind.asksForSame(inputs, state));
    return Object.fromEntries(found.map(([id, { state: _, ...rest }]) => [id, rest]));
  }
}
