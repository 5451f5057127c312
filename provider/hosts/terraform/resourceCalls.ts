import { type RawValues, unknown } from "../../definitions/values";
import { type CreateResult, update } from "../../engine/apply";
import { type Checked, check } from "../../engine/check";
import type { Operation } from "../../engine/operation";
import { type Plan, plan, planCreate } from "../../engine/plan";
import { importById, readBeforePlan } from "../../engine/read";
import { DeleteFirstReplacements } from "../../engine/replacements";
import type { Outcome } from "../../resources/lifecycle";
import type { Resource } from "../../resources/resource";
import type { GivenSettings } from "../../settings/settings";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { internalProperties, type PrivateState, readPrivate, writePrivate } from "./privateState";
import { knownInputs, ResourceBlocks } from "./resourceBlocks";
import type { BlockSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";
import { type Block, isAbsent, readBlock, writeValue } from "./values";
import { severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";

/** The answers to Terraform's calls for the resources of one type. */
export class TerraformResourceCalls {
  readonly #blocks: ResourceBlocks;
  readonly #replacements: DeleteFirstReplacements;
  #address: string | undefined;

  constructor(
    private readonly definition: Resource,
    private readonly schema: BlockSchema,
    private readonly settings: () => GivenSettings,
    private readonly session: TerraformSession,
  ) {
    this.#blocks = new ResourceBlocks(definition, schema.attributes);
    this.#replacements = new DeleteFirstReplacements(definition, session);
  }

  /** Returns the state unchanged, because Terraform itself drops attributes that the schema does not have. */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
    return { upgradedState: { json: rawState?.json } };
  }

  async read({
    currentState,
    private: bytes,
  }: TerraformRequest<"ReadResource">): Promise<TerraformResponse<"ReadResource">> {
    const block = readBlock(currentState);
    if (block === undefined) {
      return { newState: writeValue(null), private: bytes };
    }
    const { own } = readPrivate(bytes);
    const [id, state] = this.#blocks.stateOf(block, own ?? {});
    const found = await readBeforePlan(this.definition, { ...this.#operation(), id, state }, this.session);
    if (found === undefined) {
      return { newState: writeValue(null), private: bytes };
    }
    this.#replacements.noteRead(id, found);
    return {
      newState: this.#blocks.write(id, found, block),
      private: own && writePrivate({ own: internalProperties(found) }),
    };
  }

  async plan(request: TerraformRequest<"PlanResourceChange">): Promise<TerraformResponse<"PlanResourceChange">> {
    const prior = readBlock(request.priorState);
    const kept = readPrivate(request.priorPrivate);
    this.session.applies ||= (request.plannedPrivate?.length ?? 0) > 0;
    if (isAbsent(request.proposedNewState)) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate({ ...kept, destroys: true }) };
    }
    const config = readBlock(request.config) ?? {};
    const [id, state] = this.#blocks.stateOf(prior ?? {}, kept.own ?? {});
    const checked = this.#check(this.#blocks.inputsOf(config), prior && state);
    const { inputs } = checked;
    const isFirst = prior === undefined && kept.own === undefined;
    const replaceable = isFirst ? [...this.#replacements.replaceableBy(inputs)] : [];
    // Terraform also plans before it destroys an existing resource. Invalid settings must not prevent this, so they are
    // refused only for a new resource.
    const isNew = isFirst && replaceable.length === 0;
    const refused = isNew ? [...checked.failures, ...checked.settingFailures] : checked.failures;
    if (refused.length > 0) {
      return {
        plannedState: request.proposedNewState,
        diagnostics: failureDiagnostics(refused, this.schema.attributes),
      };
    }
    if (prior === undefined) {
      planCreate(this.definition, this.settings(), this.session);
      const owns = Object.fromEntries(replaceable.map(([old, values]) => [old, internalProperties(values)]));
      const replaced = kept.own === undefined ? { replaceable: owns } : { own: kept.own };
      return {
        plannedState: writeValue(this.#blocks.plannedBlock(config, inputs, () => unknown)),
        plannedPrivate: writePrivate({ ...replaced, successor: knownInputs(inputs) }),
      };
    }
    const planned = plan(this.definition, { ...this.#operation(), id, state, inputs }, this.session);
    return {
      plannedState: writeValue(
        this.#blocks.plannedBlock(config, inputs, (name, property) => outputOf(planned, property, prior[name])),
      ),
      requiresReplace: this.#blocks.replacedPaths(planned.replaces, state, inputs),
      plannedPrivate: writePrivate(kept),
    };
  }

  /**
   * Creates or changes a resource. The inputs come from the plan, because the configuration may contain changes that
   * the plan ignores.
   */
  async apply(request: TerraformRequest<"ApplyResourceChange">): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [prior, planned] = [readBlock(request.priorState), readBlock(request.plannedState)];
    const kept = readPrivate(request.plannedPrivate);
    if (planned === undefined) {
      await this.#delete(prior ?? {}, kept);
      return { newState: writeValue(null) };
    }
    const { inputs, failures, settingFailures } = this.#check({
      ...this.#blocks.requiredInputs(request.config),
      ...knownInputs(this.#blocks.inputsOf(planned)),
    });
    const refused = [...failures, ...settingFailures];
    if (refused.length > 0) {
      const diagnostics = failureDiagnostics(refused, this.schema.attributes);
      return { newState: request.priorState, private: writePrivate(kept), diagnostics };
    }
    if (prior === undefined) {
      return this.#created(await this.#replacements.create({ ...this.#operation(), inputs }), planned);
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    try {
      const outcome = await update(this.definition, { ...this.#operation(), id, state, inputs }, this.session);
      return this.#saved(outcome, planned, severity.error);
    } catch (error) {
      return {
        newState: request.priorState,
        private: writePrivate(kept),
        diagnostics: [errorDiagnostic(error)],
      };
    }
  }

  async import(request: TerraformRequest<"ImportResourceState">): Promise<TerraformResponse<"ImportResourceState">> {
    const { id = "" } = request;
    const found = await importById(this.definition, { ...this.#operation(), id }, this.session);
    const state = found?.state ?? {};
    return {
      importedResources: [
        {
          typeName: request.typeName,
          state: this.#blocks.write(id, state, {}),
          private: writePrivate({ own: internalProperties(state) }),
        },
      ],
    };
  }

  /**
   * Deletes a resource. For a tainted object, Terraform passes only the private data from the plan of its successor.
   */
  #delete(prior: Block, { destroys, successor = {}, replaceable, own: kept }: PrivateState): Promise<void> {
    const own = kept ?? replaceable?.[String(prior.id)];
    const [id, state] = this.#blocks.stateOf(prior, own ?? {});
    const goes = { successor: destroys ? undefined : successor, isWhole: own !== undefined };
    return this.#replacements.delete({ ...this.#operation(), id, state, ...goes });
  }

  #created(applied: CreateResult, planned: Block): TerraformResponse<"ApplyResourceChange"> {
    return applied.isSaved
      ? this.#saved(applied, planned, applied.isWarning ? severity.warning : severity.error)
      : { newState: writeValue(null), diagnostics: [errorDiagnostic(applied.problem)] };
  }

  #saved(
    { id, state, problem }: Outcome<RawValues>,
    planned: Block,
    loudness: number,
  ): TerraformResponse<"ApplyResourceChange"> {
    return {
      newState: this.#blocks.write(id, state, planned),
      private: writePrivate({ own: internalProperties(state) }),
      ...(problem !== undefined && { diagnostics: [{ ...errorDiagnostic(problem), severity: loudness }] }),
    };
  }

  /**
   * Checks the inputs of a plan or an apply. Terraform itself demands required inputs. One may be missing here if the
   * import could not read it and `ignore_changes` hides it. This is no failure.
   */
  #check(inputs: RawValues, state: RawValues | undefined = undefined): Checked {
    const isIgnored = (name: string) =>
      state !== undefined && this.#blocks.isRequired(name) && inputs[name] === undefined;
    const checked = check(this.definition, inputs, this.settings(), { state });
    return { ...checked, failures: checked.failures.filter(({ property }) => !isIgnored(property)) };
  }

  #operation(): Operation {
    const settings = this.settings();
    // The address is calculated once, because neither the scope nor the workspace changes while this process lives.
    this.#address ??= settings.isKnown("journalScope")
      ? workspaceAddress(this.definition.name, settings.values.journalScope, this.session.workplace)
      : undefined;
    return { address: this.#address, settings, signal: this.session.signal };
  }
}

function outputOf({ action, changingOutputs }: Plan, property: string, prior: unknown): unknown {
  const changes = action === "replace" || changingOutputs.includes(property);
  return changes ? unknown : (prior ?? null);
}
