import type { RawValues } from "../../definitions/values";
import { create, remove, requireNew, requireReplaceable } from "../../engine/apply";
import type { OnResource } from "../../engine/operation";
import { StartJournal } from "../../engine/startJournal";
import { differs } from "../../resources/compare";
import type { Outcome } from "../../resources/lifecycle";
import { asDocsPlatformError } from "../../support/errors";
import type { PrivateState } from "./privateState";
import type { ResourceKind } from "./resourceKind";
import type { Block } from "./values";

interface Deleted {
  id: string;
  state: RawValues;
  /** True if its files stay until the successor exists. */
  isRetired: boolean;
  successor: RawValues;
}

/**
 * Deletes and creates. By default Terraform deletes first and creates then, and connects the two by nothing: what the create
 * must know of the deleted object, the deletion keeps. An archive stays until its successor exists.
 */
export class TerraformReplacements {
  readonly #deleted = new Set<Deleted>();

  constructor(private readonly kind: ResourceKind) {}

  /** @throws if the replacement of the object could not be created. Then nothing is deleted. */
  async delete(prior: Block, { destroys, successor = {}, replaceable, own: kept }: PrivateState): Promise<void> {
    const { definition, session, blocks } = this.kind;
    const own = kept ?? replaceable?.[String(prior.id)];
    const [id, state] = blocks.stateOf(prior, own ?? {});
    const operation = { ...this.kind.operation(), id, state };
    if (!destroys) {
      await requireReplaceable(definition, operation, session);
    }
    const isRetired = own !== undefined && !destroys && (definition.staysForSuccessor?.(state, successor) ?? false);
    if (isRetired) {
      session.warn(
        undefined,
        `this apply removes ${id} after its replacement exists. If the apply ends before that, remove ${id} by hand. With create_before_destroy in the lifecycle block, Terraform keeps track of it.`,
      );
    } else if (own === undefined) {
      await this.#deleteTainted(operation);
    } else {
      await remove(definition, operation, session);
    }
    if (!destroys) {
      this.#deleted.add({ id, state, isRetired, successor });
    }
  }

  /** Deletes an object without its internal properties: Terraform gives a plan nothing of a tainted object. */
  async #deleteTainted({ id, state }: OnResource): Promise<void> {
    const { definition, session } = this.kind;
    const journal = StartJournal.of(definition, this.kind.operation(), state, session);
    await requireNew(id, undefined, () => journal?.forget(id), session);
    if (definition.staysForSuccessor !== undefined) {
      session.warn(
        undefined,
        `the files of ${id} stay: Terraform deletes a tainted mirror without the key by which the provider knows its files. If no other mirror has these files, remove them by hand. A replacement with -replace instead of a taint removes them.`,
      );
    }
  }

  async create(inputs: RawValues): Promise<Outcome<RawValues>> {
    const deleted = this.#takePredecessor(inputs);
    const replaced = deleted?.isRetired ? deleted.state : undefined;
    const began = Date.parse(String(deleted?.state.startedAt));
    const after = Number.isNaN(began) ? undefined : began;
    const operation = { ...this.kind.operation(), inputs, replaced, after };
    const outcome = await create(this.kind.definition, operation, this.kind.session);
    if (deleted?.isRetired && outcome.problem === undefined) {
      await this.#remove(deleted);
    }
    return outcome;
  }

  #takePredecessor(inputs: RawValues): Deleted | undefined {
    const isSuccessor = ({ successor }: Deleted) =>
      Object.entries(successor).every(([name, value]) => !differs(value, inputs[name]));
    const found = [...this.#deleted].find(isSuccessor);
    if (found !== undefined) {
      this.#deleted.delete(found);
    }
    return found;
  }

  async #remove({ id, state }: Deleted): Promise<void> {
    const { definition, session } = this.kind;
    try {
      await remove(definition, { ...this.kind.operation(), id, state }, session);
    } catch (error) {
      session.warn(undefined, `${id} was replaced, but could not be removed: ${asDocsPlatformError(error).happened}`);
    }
  }
}
