import { type RawValues, unknown } from "../../definitions/values";
import { update } from "../../engine/apply";
import { check } from "../../engine/check";
import { dropSavedEntry } from "../../engine/evidence";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied } from "../../engine/operation";
import { type Plan, plan } from "../../engine/plan";
import { ageImport, importById, read, settleSavedImport } from "../../engine/read";
import { holdsUnknown } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import { baseUrl, caFile } from "../../settings/settingTable";
import { ConfigurationError, InterruptedError } from "../../support/errors";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { KnownObjects } from "./knownObjects";
import { PlannedEntries } from "./plannedEntries";
import { ownOf, readPrivate, writePrivate } from "./privateState";
import type { TerraformSettings } from "./providerConfig";
import { TerraformReplacements } from "./replacements";
import { failuresByRules, knownOf, type ResourceBlocks } from "./resourceBlocks";
import { ResourceKind } from "./resourceKind";
import { type BlockSchema, providerSchema } from "./schema";
import type { TerraformSession } from "./terraformSession";
import { type AttributeSchemas, type Block, isAbsent, readBlock, writeValue } from "./values";
import { type Identity, severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";
import { typeName } from "./words";

/** The calls of this protocol for one kind of resource. */
export class TerraformResourceCalls {
  readonly #definition: Resource;
  readonly #attributes: AttributeSchemas;
  readonly #identityName: string | undefined;
  readonly #session: TerraformSession;
  readonly #kind: ResourceKind;
  readonly #blocks: ResourceBlocks;
  readonly #objects: KnownObjects;
  readonly #entries: PlannedEntries;
  readonly #replacements: TerraformReplacements;

  constructor(definition: Resource, schema: BlockSchema, settings: () => TerraformSettings, session: TerraformSession) {
    this.#definition = definition;
    this.#attributes = schema.attributes;
    this.#identityName = providerSchema.identities[typeName(definition.name)]?.name;
    this.#session = session;
    this.#kind = new ResourceKind(definition, schema, settings, session);
    this.#blocks = this.#kind.blocks;
    this.#objects = new KnownObjects(this.#kind);
    this.#entries = new PlannedEntries(this.#kind, this.#objects);
    this.#replacements = new TerraformReplacements(this.#kind);
  }

  /** Checks the inputs by their rules alone, since Terraform validates before it configures the provider. */
  validate({ config }: TerraformRequest<"ValidateResourceConfig">): TerraformResponse<"ValidateResourceConfig"> {
    const inputs = this.#blocks.inputsOf(readBlock(config) ?? {});
    const failures = failuresByRules(this.#definition, inputs, "this resource");
    return { diagnostics: failureDiagnostics(failures, this.#attributes) };
  }

  /**
   * Returns the state as Terraform has it, with all digits of its numbers. Terraform itself drops what the schema does
   * not have.
   */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
    if (rawState?.json !== undefined) {
      this.#objects.addGiven(rawState.json);
    }
    return { upgradedState: { json: rawState?.json } };
  }

  /**
   * Terraform reads at each plan. So the resource is read only if this costs no request to the platform; the plan shows
   * the rest.
   */
  async read({
    currentState,
    private: bytes,
  }: TerraformRequest<"ReadResource">): Promise<TerraformResponse<"ReadResource">> {
    const block = readBlock(currentState);
    const { own, failed } = readPrivate(bytes);
    if (block === undefined) {
      return { newState: writeValue(null), private: bytes };
    }
    const [id, state] = this.#blocks.stateOf(block, ageImport(own ?? {}));
    const mark = failed && { failed };
    const settings = this.#kind.settings();
    const place = settings.journalPlace();
    if (place !== unknown && settings.isKnown(baseUrl)) {
      await settleSavedImport(
        this.#definition,
        { ...this.#kind.operation(), id, state: { ...state, ...own } },
        this.#session,
      );
    }
    this.#objects.addRead(id, { own: ownOf(state), ...mark, state });
    if (!(failed && this.#definition.isUnderWay(state))) {
      dropSavedEntry(this.#session, place, state);
    }
    if (!this.#definition.readsAtPlan || !settings.isKnown(caFile)) {
      const aged = own && writePrivate({ own: ownOf(state), ...mark });
      return { newState: currentState, private: aged, newIdentity: this.#known(id) };
    }
    const found = await read(this.#definition, { ...this.#kind.operation(), id, state }, this.#session);
    return found === undefined
      ? { newState: writeValue(null), private: bytes }
      : {
          newState: this.#blocks.write(id, found, block),
          private: writePrivate({ own: ownOf(found), ...mark }),
          newIdentity: this.#known(id),
        };
  }

  async plan(request: TerraformRequest<"PlanResourceChange">): Promise<TerraformResponse<"PlanResourceChange">> {
    const prior = readBlock(request.priorState);
    // An object with a prior state is not tainted any more.
    const { failed: _, ...kept } = readPrivate(request.priorPrivate);
    if (isAbsent(request.proposedNewState)) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate({ ...kept, destroys: true }) };
    }
    const config = readBlock(request.config) ?? {};
    const configured = this.#blocks.inputsOf(config);
    const settings = this.#kind.settings();
    const { inputs, failures } = this.#check(configured, prior, withoutProblems(settings));
    const problems = settings.problems().map(({ reason }) => ({ property: "", reason }));
    const replaceable = prior === undefined && kept.own === undefined ? this.#objects.replaceableBy(inputs) : {};
    const isThere = prior !== undefined || kept.own !== undefined || Object.keys(replaceable).length > 0;
    const refused = isThere ? failures : [...failures, ...problems];
    if (refused.length > 0) {
      return { plannedState: request.proposedNewState, diagnostics: failureDiagnostics(refused, this.#attributes) };
    }
    if (prior === undefined) {
      this.#warnOfSettings(settings);
      await this.#entries.renew(inputs);
      const planned = this.#blocks.plannedBlock(config, inputs, () => unknown);
      const replaced = kept.own === undefined ? { replaceable } : { own: kept.own };
      return {
        plannedState: writeValue(planned),
        plannedPrivate: writePrivate({
          ...replaced,
          successor: knownOf(inputs),
          later: Object.keys(inputs).filter((name) => holdsUnknown(inputs[name])),
        }),
      };
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    const filled = withEarlier(this.#definition, inputs, configured, state);
    const operation = { ...this.#kind.operation(), id, state, inputs: filled };
    const planned = plan(this.#definition, operation, this.#session);
    if (planned.action !== "none") {
      this.#warnOfSettings(settings);
      await this.#entries.drop(state);
    }
    return {
      plannedState: writeValue(
        this.#blocks.plannedBlock(config, filled, (name, property) => outcome(planned, property, prior[name])),
      ),
      requiresReplace: this.#blocks.replacedPaths(planned.replaces, state, filled),
      plannedPrivate: writePrivate(kept),
      plannedIdentity: planned.action === "replace" ? undefined : this.#known(id),
    };
  }

  /**
   * Does what was planned. The inputs come from the plan, since the configuration may contain changes that the plan
   * ignores.
   */
  async apply(request: TerraformRequest<"ApplyResourceChange">): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [prior, planned] = [readBlock(request.priorState), readBlock(request.plannedState)];
    const kept = readPrivate(request.plannedPrivate);
    if (planned === undefined) {
      await this.#replacements.delete(prior ?? {}, kept);
      return { newState: writeValue(null) };
    }
    const { inputs, failures } = this.#check({
      ...this.#blocks.requiredInputs(request.config),
      ...knownOf(this.#blocks.inputsOf(planned)),
    });
    if (failures.length > 0) {
      const diagnostics = failureDiagnostics(failures, this.#attributes);
      return { newState: request.priorState, private: writePrivate(kept), diagnostics };
    }
    if (prior === undefined) {
      return this.#applied(await this.#replacements.create(inputs), planned, true);
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    try {
      const applied = await update(this.#definition, { ...this.#kind.operation(), id, state, inputs }, this.#session);
      return this.#applied(applied, planned, false);
    } catch (error) {
      return {
        newState: request.priorState,
        private: writePrivate(kept),
        newIdentity: this.#known(id),
        diagnostics: [errorDiagnostic(error)],
      };
    }
  }

  async import(request: TerraformRequest<"ImportResourceState">): Promise<TerraformResponse<"ImportResourceState">> {
    const { notImported } = this.#definition;
    const id = String(Object.values(readBlock(request.identity?.identityData) ?? {})[0] ?? request.id ?? "");
    if (notImported !== undefined) {
      throw new ConfigurationError(
        [`this resource cannot be imported: ${notImported}`],
        "declare the resource, without an import.",
      );
    }
    const found = await importById(this.#definition, { ...this.#kind.operation(), id }, this.#session);
    const state = found?.state ?? {};
    return {
      importedResources: [
        {
          typeName: request.typeName,
          state: this.#blocks.write(id, state, {}),
          private: writePrivate({ own: ownOf(state) }),
          identity: this.#known(id),
        },
      ],
    };
  }

  /**
   * Returns the answer to a create or an update. If a create fails, Terraform taints the object and replaces it in the
   * next run. If the user has cancelled, Terraform itself says so, and a warning instead of an error leaves the object
   * untainted.
   */
  #applied({ id, state, problem }: Applied, planned: Block, isNew: boolean): TerraformResponse<"ApplyResourceChange"> {
    const isCancelled = isNew && problem instanceof InterruptedError;
    const hasFailed = isNew && problem !== undefined && !isCancelled;
    const answer = {
      newState: this.#blocks.write(id, state, planned),
      private: writePrivate({ own: ownOf(state), ...(hasFailed && { failed: true }) }),
      newIdentity: this.#known(id),
    };
    if (problem === undefined) {
      return answer;
    }
    const told = errorDiagnostic(problem);
    if (isCancelled) {
      return { ...answer, diagnostics: [{ ...told, severity: severity.warning }] };
    }
    const isTainted = hasFailed && this.#definition.isUnderWay(state);
    return { ...answer, diagnostics: [isTainted ? { ...told, detail: `${told.detail}\n${taintAdvice}` } : told] };
  }

  /**
   * Terraform itself demands what the schema requires. What an object that is there lacks all the same is ignored
   * (`ignore_changes`), and was not known to the import.
   */
  #check(inputs: RawValues, prior?: Block, settings = this.#kind.settings()): ReturnType<typeof check> {
    const isIgnored = (name: string) =>
      prior !== undefined && this.#blocks.isRequired(name) && inputs[name] === undefined;
    const checked = check(this.#definition, inputs, settings);
    return { ...checked, failures: checked.failures.filter(({ property }) => !isIgnored(property)) };
  }

  /**
   * Warns that an apply will be refused. Terraform plans as usual before it destroys, and tells nobody: what is there
   * already can be destroyed without a setting.
   */
  #warnOfSettings(settings: TerraformSettings): void {
    const reasons = settings.problems().map(({ reason }) => reason);
    if (reasons.length === 0) {
      warnOfMissingKey(settings, this.#session);
    } else if (this.#session.once("warn of wrong settings")) {
      this.#session.warn(
        undefined,
        `DOCS_CONFIGURATION, an apply that has something to send will be refused: ${reasons.join("; ")}`,
      );
    }
  }

  /** Returns the identity by which Terraform 1.12 and later knows the resource, if the resource can be imported. */
  #known(id: string): Identity | undefined {
    const name = this.#identityName;
    return name === undefined ? undefined : { identityData: writeValue({ [name]: id }) };
  }
}

const taintAdvice =
  "Terraform marks a resource as tainted when its create fails: the next plan shows a replacement, which continues with the same job. To continue without a replacement, as prevent_destroy requires, run `terraform untaint <address>` first.";

function withoutProblems(settings: TerraformSettings): TerraformSettings {
  return { ...settings, problems: () => [] };
}

/** Keeps the old value of an input that a provider setting fills in, while the setting is not known yet. */
function withEarlier({ inputs: fields }: Resource, inputs: RawValues, configured: RawValues, state: RawValues) {
  const isSetting = (name: string) => fields[name]?.fill?.({}, unknown) === unknown;
  const entries = Object.entries(inputs).map(([name, value]) => [
    name,
    value === unknown && configured[name] === undefined && isSetting(name) ? state[name] : value,
  ]);
  return Object.fromEntries(entries);
}

/** Returns what a plan predicts for an output that the configuration does not set. */
function outcome({ action, changingOutputs }: Plan, property: string, prior: unknown): unknown {
  const changes = action === "replace" || changingOutputs.includes(property);
  return changes ? unknown : (prior ?? null);
}
