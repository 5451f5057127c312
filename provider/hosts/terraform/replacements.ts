import type { RawValues } from "../../definitions/values";
import { create, remove } from "../../engine/apply";
import { type Left, leftIn } from "../../engine/left";
import type { Applied } from "../../engine/operation";
import { differs } from "../../resources/compare";
import { asDocsPlatformError } from "../../support/errors";
import type { PrivateState } from "./privateState";
import type { ResourceKind } from "./resourceKind";
import type { Block } from "./values";

/** An object that this run has deleted to replace it, until its successor is created. */
interface Deleted {
  id: string;
  state: RawValues;
  /** True if the state has its internal properties. */
  isWhole: boolean;
  /**
   * True if it is removed when its successor exists. By default Terraform deletes first, and a new export may fail.
   */
  isRetired: boolean;
  /** The work that its failed create has left. */
  left: Left | undefined;
  /** Recognizes the successor by its inputs. */
  isSuccessor: (inputs: RawValues) => boolean;
  /** True if the plan has not known all inputs, so that another resource may look like the successor. */
  isGuess: boolean;
}

/**
 * Deletes and creates. A replacement is a deletion and a create, which Terraform does not connect: what the create needs
 * of the deleted object, the deletion hands on.
 */
export class TerraformReplacements {
  readonly #kind: ResourceKind;
  readonly #deleted = new Set<Deleted>();

  constructor(kind: ResourceKind) {
    this.#kind = kind;
  }

  /**
   * Deletes an object. What a failed create has left is not deleted, but handed on: to the create of this process by its
   * memory, and to later runs by the journal.
   */
  async delete(prior: Block, kept: PrivateState): Promise<void> {
    const { definition, session } = this.#kind;
    const deleted = this.#deletedBy(prior, kept);
    const { id, state, isWhole, isRetired, left } = deleted;
    if (!kept.destroys) {
      this.#deleted.add(deleted);
    }
    if (isRetired) {
      session.warn(
        undefined,
        `this apply removes ${id} after its replacement exists. If the apply ends before that, remove ${id} by hand. With create_before_destroy in the lifecycle block, Terraform keeps track of it.`,
      );
    } else if (left !== undefined) {
      await this.#kind.journalOf(state)?.continueLater(left);
    } else if (!isWhole) {
      await this.#kind.journalOf(state)?.forget((entry) => entry.id === id);
      if (definition.staysForSuccessor !== undefined) {
        session.warn(
          undefined,
          `the files of ${id} stay: Terraform deletes a tainted mirror without the key by which the provider knows its files. If no other mirror has these files, remove them by hand. A replacement with -replace instead of a taint removes them.`,
        );
      }
    } else if (!(definition.isUnderWay(state) && session.resumed.has(id))) {
      await remove(definition, { ...this.#kind.operation(), id, state }, session);
    }
  }

  #deletedBy(prior: Block, { destroys, successor = {}, later = [], replaceable, ...kept }: PrivateState): Deleted {
    const { definition, blocks } = this.#kind;
    const tainted = kept.own === undefined ? (replaceable?.[String(prior.id)] ?? {}) : undefined;
    const { own } = tainted ?? kept;
    const [id, state] = blocks.stateOf(prior, own ?? {});
    // If nothing was read, nothing tells who has tainted it: mostly it was a create that failed.
    const isLeft = tainted !== undefined && (own === undefined || tainted.failed === true);
    const left = isLeft && !destroys && definition.isUnderWay(state) ? leftIn(id, state) : undefined;
    const isRetired = own !== undefined && !destroys && (definition.staysForSuccessor?.(state, successor) ?? false);
    const isGuess = later.length > 0;
    const planned = Object.keys(definition.inputs).filter((name) => !later.includes(name));
    const isPlanned = (inputs: RawValues) => planned.every((name) => !differs(successor[name], inputs[name]));
    // Only an equal one may settle what is left.
    const isSuccessor = (inputs: RawValues) =>
      isPlanned(inputs) && (left === undefined || !isGuess || this.#kind.asksForSame(inputs, state));
    return { id, state, isWhole: own !== undefined, isRetired, left, isSuccessor, isGuess };
  }

  /** Creates an object, in the place of a deleted one if it is the successor of one. */
  async create(inputs: RawValues): Promise<Applied> {
    const deleted = this.#takePredecessor(inputs);
    const isSame = deleted !== undefined && this.#kind.asksForSame(inputs, deleted.state);
    const left = isSame ? deleted.left : undefined;
    if (deleted?.left !== undefined && left === undefined) {
      await this.#kind.journalOf(deleted.state)?.forget(({ id }) => id === deleted.id);
    }
    const predecessor = deleted && { id: deleted.id, left, isGuess: deleted.isGuess };
    const replaced = deleted?.isWhole && (deleted.isRetired || left !== undefined) ? deleted.state : undefined;
    const operation = { ...this.#kind.operation(), inputs, replaced, predecessor };
    const applied = await create(this.#kind.definition, operation, this.#kind.session);
    if (deleted?.isRetired && applied.problem === undefined) {
      await this.#removeRetired(deleted);
    }
    return applied;
  }

  /**
   * Returns the deleted object that a new one with these inputs replaces. Of several it is one that is no guess, else one
   * whose create has left work.
   */
  #takePredecessor(inputs: RawValues): Deleted | undefined {
    const all = [...this.#deleted].filter(({ isSuccessor }) => isSuccessor(inputs));
    const found = all.find(({ isGuess }) => !isGuess) ?? all.find(({ left }) => left !== undefined) ?? all[0];
    if (found !== undefined) {
      this.#deleted.delete(found);
    }
    return found;
  }

  async #removeRetired({ id, state }: Deleted): Promise<void> {
    const { definition, session } = this.#kind;
    try {
      await remove(definition, { ...this.#kind.operation(), id, state }, session);
    } catch (error) {
      session.warn(undefined, `${id} was replaced, but could not be removed: ${asDocsPlatformError(error).happened}`);
    }
  }
}
