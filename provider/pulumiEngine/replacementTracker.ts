import type { CheckFailure } from "../definitions/rules";
import { containsUnknown, type RawValues } from "../definitions/values";
import { continueJobWait, create, deleteResource } from "../engine/apply";
import { check } from "../engine/check";
import type { BaseOperation, Creation, ExistingResourceOperation, Update } from "../engine/operation";
import { noChange, plan, type ResourcePlan } from "../engine/plan";
import { warnOfMissingKey } from "../engine/processSettings";
import type { Session } from "../engine/session";
import type { WriteOutcome } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";

/** Remembers facts that the engine passes to one call (such as diff), but not to a later one (such as create). */
export class ReplacementTracker {
  /** The states of the resources that this run replaces, by URN. The engine passes them to diff, but not to create. */
  readonly #replaced = new Map<string, RawValues>();
  /**
   * The resources whose jobs this run continues, by URN. With `replaceOnChanges`, the engine calls create for such a
   * resource instead of update, and create continues the job.
   */
  readonly #continued = new Map<string, { id: string; state: RawValues }>();
  /** The URNs of the resources for which a check in this process saw an unknown input. */
  readonly #previewed = new Set<string>();
  /** The inputs of the last run, by URN. The engine passes them to check, but not to every diff. */
  readonly #before = new Map<string, RawValues>();

  constructor(private readonly session: Session) {}

  /** @param before the inputs of the last run. It is empty for a new resource. */
  check(
    definition: Resource,
    { address: urn, settings }: BaseOperation,
    { values: inputs, secrets }: { values: RawValues; secrets?: ReadonlySet<string> },
    before: RawValues,
  ): { inputs: RawValues; failures: readonly CheckFailure[] } {
    if (urn !== undefined) {
      this.#before.set(urn, before);
      if (containsUnknown(inputs)) {
        this.#previewed.add(urn);
      }
    }
    if (Object.keys(before).length === 0) {
      warnOfMissingKey(settings, this.session);
    }
    const checked = check(definition, inputs, settings, { secrets });
    return { inputs: checked.inputs, failures: [...checked.failures, ...checked.settingFailures] };
  }

  plan(definition: Resource, operation: Update): ResourcePlan {
    const { address: urn, id, state, inputs } = operation;
    const before = this.#before.get(urn ?? "");
    const planned = this.#isAskedOfDependents(urn, inputs)
      ? noChange
      : plan(definition, { ...operation, before }, this.session);
    if (urn !== undefined) {
      // An update is noted, too, because the engine may turn it into a replacement.
      if (planned.action !== "none") {
        this.#replaced.set(urn, state);
      }
      this.#continued.delete(urn);
      if (planned.continues) {
        this.#continued.set(urn, { id, state });
      }
    }
    return planned;
  }

  /**
   * If resource B uses resource A, the engine sends a diff of B before it replaces A. The diff asks: must B be deleted
   * first? Such a diff has unknown inputs, and no check comes before it. The answer is always no.
   */
  #isAskedOfDependents(urn: string | undefined, inputs: RawValues): boolean {
    return urn !== undefined && !this.#previewed.has(urn) && containsUnknown(inputs);
  }

  create(definition: Resource, operation: Creation): Promise<WriteOutcome> {
    const { address = "" } = operation;
    const continued = this.#continued.get(address);
    return continued === undefined
      ? create(definition, { ...operation, replaced: this.#replaced.get(address) }, this.session)
      : continueJobWait(definition, { ...operation, ...continued }, this.session);
  }

  async remove(definition: Resource, operation: ExistingResourceOperation): Promise<void> {
    if (![...this.#continued.values()].some(({ id }) => id === operation.id)) {
      await deleteResource(definition, operation, this.session);
    }
  }
}
