import { containsUnknown, type RawValues } from "../definitions/values";
import { differsFromStored } from "../resources/differsFromStored";
import type { Resource } from "../resources/resource";
import { asDocsPlatformError } from "../support/errors";
import { words } from "../support/words";
import { type CreateResult, checkReplacementCanBeCreated, create, deleteResource, forgetEntryOfDeleted } from "./apply";
import { removeEntriesOfJob } from "./entryCleanup";
import type { Creation, ExistingResourceOperation } from "./operation";
import type { Session } from "./session";

interface Deleted {
  id: string;
  state: RawValues;
  /** True if the files of the deleted resource stay until its successor exists. */
  isRetired: boolean;
  successor: RawValues;
}

/**
 * Replaces resources for a host that deletes first and creates afterwards. A deletion remembers the facts that the
 * create needs. Files that can stay beside the successor's files are deleted only after the successor exists.
 */
export class DeleteFirstReplacer {
  readonly #deleted = new Set<Deleted>();
  /** The states that this process has read, by the ids of their resources. */
  readonly #read = new Map<string, RawValues>();

  constructor(
    private readonly definition: Resource,
    private readonly session: Session,
  ) {}

  noteRead(id: string, state: RawValues): void {
    this.#read.set(id, state);
  }

  /** Returns the states that a new resource with these inputs may continue or replace, by id. */
  replaceableBy(inputs: RawValues): ReadonlyMap<string, RawValues> {
    return new Map([...this.#read].filter(([, state]) => this.#isLike(inputs, state)));
  }

  #isLike(inputs: RawValues, state: RawValues): boolean {
    const { inputs: fields, outputs, identity } = this.definition;
    const isEqual = (name: string) => containsUnknown(inputs[name]) || !differsFromStored(inputs[name], state[name]);
    const isFromPlatform = (name: string) => inputs[name] === undefined && (outputs as string[]).includes(name);
    const replacing = Object.keys(fields).filter((name) => fields[name]?.onChange === "replace");
    return replacing.every((name) => isFromPlatform(name) || isEqual(name)) || identity.every(isEqual);
  }

  /**
   * A deletion has no successor if the program has removed the resource, or if the new resource exists already.
   * `isWhole` is false if the host has not passed the internal properties of the state.
   * @throws if the create of the successor would fail. In this case, nothing is deleted.
   */
  async delete(
    deletion: ExistingResourceOperation & { successor: RawValues | undefined; isWhole: boolean },
  ): Promise<void> {
    const { id, state, successor, isWhole } = deletion;
    if (successor !== undefined) {
      await checkReplacementCanBeCreated(this.definition, deletion, this.session);
    }
    const isRetired =
      isWhole && successor !== undefined && (this.definition.staysForSuccessor?.(state, successor) ?? false);
    if (isRetired) {
      this.session.warn(
        undefined,
        `this run removes ${id} after its replacement exists. If the run ends before that, remove ${id} by hand. With \`${words.createFirst}\`, the engine itself keeps track of it.`,
      );
    } else if (isWhole) {
      await deleteResource(this.definition, deletion, this.session);
    } else {
      await this.#deletePart(deletion);
    }
    if (successor !== undefined) {
      this.#deleted.add({ id, state, isRetired, successor });
    }
  }

  /** Deletes a resource whose state lacks its internal properties. */
  async #deletePart(operation: ExistingResourceOperation): Promise<void> {
    const { id } = operation;
    await forgetEntryOfDeleted(id, undefined, () => removeEntriesOfJob(this.session, operation), this.session);
    if (this.definition.staysForSuccessor !== undefined) {
      this.session.warn(
        undefined,
        `the files of ${id} stay: this deletion lacks the mirror's key, by which the provider knows its files. If no other mirror has these files, remove them by hand. A replacement by \`${words.replace}\` removes them.`,
      );
    }
  }

  async create(operation: Creation): Promise<CreateResult> {
    const deleted = this.#takePredecessor(operation.inputs);
    const replaced = deleted?.isRetired ? deleted.state : undefined;
    const began = Date.parse(String(deleted?.state.startedAt));
    const after = Number.isNaN(began) ? undefined : began;
    const outcome = await create(this.definition, { ...operation, replaced, after }, this.session);
    if (deleted?.isRetired && outcome.problem === undefined) {
      await deleteResource(this.definition, { ...operation, ...deleted }, this.session).catch((error: unknown) => {
        const { happened } = asDocsPlatformError(error);
        this.session.warn(undefined, `${deleted.id} was replaced, but could not be removed: ${happened}`);
      });
    }
    return outcome;
  }

  #takePredecessor(inputs: RawValues): Deleted | undefined {
    const isSuccessor = ({ successor }: Deleted) =>
      Object.entries(successor).every(([name, value]) => !differsFromStored(value, inputs[name]));
    const found = [...this.#deleted].find(isSuccessor);
    if (found !== undefined) {
      this.#deleted.delete(found);
    }
    return found;
  }
}
