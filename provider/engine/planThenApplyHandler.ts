import type { CheckFailure } from "../definitions/rules";
import { containsUnknown, type RawValues } from "../definitions/values";
import type { WriteOutcome } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import { asDocsPlatformError, type DocsPlatformError } from "../support/errors";
import { pickProperties } from "../support/objects";
import { update } from "./apply";
import { type CheckResult, check } from "./check";
import { DeleteFirstReplacer } from "./deleteFirstReplacer";
import type { BaseOperation, ExistingResourceOperation } from "./operation";
import { plan, warnOfCreateProblems } from "./plan";
import { importById, readBeforePlan } from "./read";
import type { Session } from "./session";

/** Data that the host saves beside a state, and does not show to the user. */
export interface PrivateStateData {
  /** The internal properties of the state. */
  own?: RawValues;
  /** Only in a plan: true if the resource is removed from the program, or if its successor exists already. */
  destroys?: true;
  /** Only in the plan of a create or a replacement: the known inputs of the new resource. */
  successor?: RawValues;
  /**
   * Only in the plan of a create or a replacement: the old resources that the new resource may replace. The keys are
   * ids, and the values are internal properties. After a failed create, the host passes only these notes to the delete
   * of the failed resource.
   */
  replaceable?: Readonly<Record<string, RawValues>>;
}

interface Saved {
  id: string;
  /** The state as the host shows it. */
  state: RawValues;
}

interface Planned {
  /** If the list is not empty, the plan is refused, and the other members have no meaning. */
  refused: readonly CheckFailure[];
  inputs: RawValues;
  replaces: readonly string[];
  /** Returns true if the plan shows this output as unknown, and false if the output keeps its value. */
  changes(output: string): boolean;
  notes: PrivateStateData;
}

/** Without `saved`, the host keeps the old state, or saves nothing if there is none. */
interface Applied {
  refused?: readonly CheckFailure[];
  /** The new state. Null if the host must save nothing: the next run then creates the resource again. */
  saved?: (Saved & { notes: PrivateStateData }) | null;
  problem?: DocsPlatformError | undefined;
  isWarning?: boolean;
}

/** The calls of a host with binding plans. The host deletes before it creates, and keeps notes beside each state. */
export class PlanThenApplyHandler {
  readonly #replacements: DeleteFirstReplacer;

  constructor(
    private readonly definition: Resource,
    private readonly session: Session,
  ) {
    this.#replacements = new DeleteFirstReplacer(definition, session);
  }

  async read(operation: ExistingResourceOperation, { own }: PrivateStateData) {
    const { id } = operation;
    const state = await readBeforePlan(this.definition, { ...operation, ...whole(operation, own) }, this.session);
    if (state === undefined) {
      return undefined;
    }
    this.#replacements.noteRead(id, state);
    return { id, state, notes: own && notesOf(state) };
  }

  async import(operation: BaseOperation & { id: string }): Promise<{ state: RawValues; notes: PrivateStateData }> {
    const { state = {} } = (await importById(this.definition, operation, this.session)) ?? {};
    return { state, notes: notesOf(state) };
  }

  plan(operation: BaseOperation, prior: Saved | undefined, given: RawValues, notes: PrivateStateData): Planned {
    const { settings } = operation;
    const before = prior && whole(prior, notes.own);
    const { inputs, failures, settingFailures } = this.#check(operation, given, before?.state);
    const isFirst = prior === undefined && notes.own === undefined;
    const replaceable = isFirst ? [...this.#replacements.replaceableBy(inputs)] : [];
    // The host also plans before it destroys an existing resource. Invalid settings must not prevent the destroy.
    const isNew = isFirst && replaceable.length === 0;
    const refused = isNew ? [...failures, ...settingFailures] : failures;
    const create = { refused, inputs, replaces: [], changes: () => true, notes };
    if (refused.length > 0) {
      return create;
    }
    if (before === undefined) {
      warnOfCreateProblems(this.definition, settings, this.session);
      const owns = Object.fromEntries(replaceable.map(([old, values]) => [old, internalProperties(values)]));
      const replaced = notes.own === undefined ? { replaceable: owns } : { own: notes.own };
      return { ...create, notes: { ...replaced, successor: knownInputs(inputs) } };
    }
    const planned = plan(this.definition, { ...operation, ...before, inputs }, this.session);
    const { action, replaces, changingOutputs } = planned;
    const changes = (output: string) => action === "replace" || changingOutputs.includes(output);
    return { refused, inputs, replaces, changes, notes };
  }

  planDelete(notes: PrivateStateData): PrivateStateData {
    return { ...notes, destroys: true };
  }

  /**
   * The inputs come from the plan, because the program may contain changes that the plan ignores.
   * @param configured the inputs of the program. They give the required inputs that an import could not read: the plan
   * lacks these inputs.
   * @throws if nothing was created.
   */
  async apply(
    operation: BaseOperation,
    prior: Saved | undefined,
    { planned, configured }: { planned: RawValues; configured: RawValues },
    notes: PrivateStateData,
  ): Promise<Applied> {
    const required = pickProperties(configured, (name) => this.#isRequired(name));
    const checked = this.#check(operation, { ...knownInputs(required), ...knownInputs(planned) });
    const { inputs } = checked;
    const refused = [...checked.failures, ...checked.settingFailures];
    if (refused.length > 0) {
      return { refused };
    }
    if (prior === undefined) {
      const { isSaved, isWarning, problem, ...created } = await this.#replacements.create({ ...operation, inputs });
      return { saved: isSaved ? saved(created) : null, problem, isWarning };
    }
    try {
      const before = whole(prior, notes.own);
      const updated = await update(this.definition, { ...operation, ...before, inputs }, this.session);
      return { saved: saved(updated), problem: updated.problem };
    } catch (error) {
      return { problem: asDocsPlatformError(error) };
    }
  }

  delete(operation: ExistingResourceOperation, notes: PrivateStateData): Promise<void> {
    const own = notes.own ?? notes.replaceable?.[operation.id];
    return this.#replacements.delete({
      ...operation,
      ...whole(operation, own),
      successor: notes.destroys ? undefined : (notes.successor ?? {}),
      isWhole: own !== undefined,
    });
  }

  /**
   * The host itself refuses a program without a required input. An existing resource may still lack an input that an
   * import could not read. This check accepts such a resource.
   */
  #check({ settings }: BaseOperation, inputs: RawValues, state?: RawValues): CheckResult {
    const isIgnored = (name: string) => state !== undefined && this.#isRequired(name) && inputs[name] === undefined;
    const checked = check(this.definition, inputs, settings, { state });
    return { ...checked, failures: checked.failures.filter(({ property }) => !isIgnored(property)) };
  }

  #isRequired(name: string): boolean {
    const { required, fill } = this.definition.inputs[name] ?? {};
    return required === true && fill === undefined;
  }
}

function whole({ id, state }: Saved, own: RawValues | undefined): Saved {
  return { id, state: { ...state, ...own } };
}

function saved({ id, state }: WriteOutcome): Saved & { notes: PrivateStateData } {
  return { id, state, notes: notesOf(state) };
}

function notesOf(state: RawValues): PrivateStateData {
  return { own: internalProperties(state) };
}

function internalProperties(state: RawValues): RawValues {
  return pickProperties(state, (name) => name.startsWith("__"));
}

/**
 * Returns the inputs that are completely known. When a plan is applied, only values that the provider itself sets are
 * still unknown.
 */
function knownInputs(inputs: RawValues): RawValues {
  return pickProperties(inputs, (_, value) => !containsUnknown(value));
}
