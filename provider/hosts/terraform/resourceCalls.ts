import { validate } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { create, remove, update } from "../../engine/apply";
import { check } from "../../engine/check";
import { dropSavedEntry, recordUnderWay } from "../../engine/evidence";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied, Operation } from "../../engine/operation";
import { type Plan, plan } from "../../engine/plan";
import { ageImport, importById, read, settleSavedImport } from "../../engine/read";
import type { Deleted } from "../../engine/recordedStart";
import { differs } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import { baseUrl, caFile } from "../../settings/settingTable";
import { asDocsPlatformError, ConfigurationError, InterruptedError } from "../../support/errors";
import { DeletedResources } from "./deletedResources";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { ownOf, type PrivateState, readPrivate, writePrivate } from "./privateState";
import type { TerraformSettings } from "./providerConfig";
import { knownOf, ResourceBlocks } from "./resourceBlocks";
import { type BlockSchema, providerSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";
import { type AttributeSchemas, type Block, readBlock, writeValue } from "./values";
import { type Identity, severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";
import { typeName } from "./words";

/** A deleted resource that is removed when its successor exists. By default Terraform deletes first, and a new export may fail. */
interface Retired {
  id: string;
  state: RawValues;
}

/** The calls of this protocol for one kind of resource. */
export class TerraformResourceCalls {
  readonly #attributes: AttributeSchemas;
  readonly #blocks: ResourceBlocks;
  /**
   * The resources that a plan has read, with their internal properties: the plan request for a tainted object does not
   * contain them.
   */
  readonly #read: { state: RawValues; own: RawValues }[] = [];
  readonly #retired = new DeletedResources<Retired>();
  /** The ones that were deleted to be replaced, each until an equal one was created. */
  readonly #deleted = new DeletedResources<Deleted>();
  #address: string | undefined;

  readonly #definition: Resource;
  readonly #settings: () => TerraformSettings;
  readonly #session: TerraformSession;

  constructor(definition: Resource, schema: BlockSchema, settings: () => TerraformSettings, session: TerraformSession) {
    this.#definition = definition;
    this.#settings = settings;
    this.#session = session;
    this.#attributes = schema.attributes;
    this.#blocks = new ResourceBlocks(definition, schema.attributes);
  }

  /** Checks the inputs by their rules alone, since Terraform validates before it configures the provider. */
  validate({ config }: TerraformRequest<"ValidateResourceConfig">): TerraformResponse<"ValidateResourceConfig"> {
    const inputs = this.#blocks.inputsOf(readBlock(config) ?? {});
    const definition = this.#definition;
    // An input that a setting fills in is not known yet.
    const filled = Object.fromEntries(
      Object.entries(definition.inputs).map(([name, { fill }]) => [name, fill && unknown]),
    );
    const failures = validate(inputs, definition.inputs, "this resource", { ...filled, ...inputs });
    return { diagnostics: failureDiagnostics(failures, this.#attributes) };
  }

  /**
   * Returns the state as Terraform has it, with all digits of its numbers. Terraform itself drops what the schema does
   * not have.
   */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
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
    const { own } = readPrivate(bytes);
    if (block === undefined) {
      return { newState: writeValue(null), private: bytes };
    }
    const [id, state] = this.#blocks.stateOf(block, ageImport(own ?? {}));
    const aged = own && writePrivate({ own: ownOf(state) });
    const settings = this.#settings();
    const place = settings.journalPlace();
    if (place !== unknown && settings.isKnown(baseUrl)) {
      const [, saved] = this.#blocks.stateOf(block, own ?? {});
      await settleSavedImport(this.#definition, { ...this.#operation(), id, state: saved }, this.#session);
    }
    if (!this.#definition.isUnderWay(state)) {
      dropSavedEntry(this.#session, place, state);
    } else if (place !== unknown) {
      // If the object is tainted, this is the last call that contains its state.
      await recordUnderWay(this.#session, place, state, id);
    } else {
      // This call throws: an apply that cannot find this job might start a second job.
      settings.given();
    }
    if (!this.#definition.readsAtPlan || !settings.isKnown(caFile)) {
      return { newState: currentState, private: aged, newIdentity: this.#known(id) };
    }
    this.#read.push({ state, own: own ?? {} });
    const found = await read(this.#definition, { ...this.#operation(), id, state }, this.#session);
    return found === undefined
      ? { newState: writeValue(null), private: bytes }
      : {
          newState: this.#blocks.write(id, found, block),
          private: writePrivate({ own: ownOf(found) }),
          newIdentity: this.#known(id),
        };
  }

  plan(request: TerraformRequest<"PlanResourceChange">): TerraformResponse<"PlanResourceChange"> {
    const prior = readBlock(request.priorState);
    const kept = readPrivate(request.priorPrivate);
    if (readBlock(request.proposedNewState) === undefined) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate({ ...kept, destroys: true }) };
    }
    const config = readBlock(request.config) ?? {};
    const { inputs, failures } = this.#check(this.#blocks.inputsOf(config), prior);
    if (failures.length > 0) {
      return { plannedState: request.proposedNewState, diagnostics: failureDiagnostics(failures, this.#attributes) };
    }
    if (prior === undefined) {
      warnOfMissingKey(this.#settings(), this.#session);
      const own = kept.own ?? this.#readOwn(inputs);
      const planned = this.#blocks.plannedBlock(config, inputs, () => unknown);
      const handedOn = own === undefined ? {} : { own, successor: knownOf(inputs) };
      return { plannedState: writeValue(planned), plannedPrivate: writePrivate(handedOn) };
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    const filled = withEarlier(this.#definition, inputs, this.#blocks.inputsOf(config), state);
    const planned = plan(this.#definition, { ...this.#operation(), id, state, inputs: filled }, this.#session);
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
      return this.#delete(prior ?? {}, kept);
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
      const replaced = this.#retired.take(inputs);
      const operation = {
        ...this.#operation(),
        inputs,
        replaced: replaced?.state,
        deleted: this.#deleted.take(inputs),
      };
      const applied = await create(this.#definition, operation, this.#session);
      if (replaced !== undefined && applied.problem === undefined) {
        await this.#removeRetired(replaced);
      }
      return this.#applied(applied, planned, true);
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    try {
      const applied = await update(this.#definition, { ...this.#operation(), id, state, inputs }, this.#session);
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
    const found = await importById(this.#definition, { ...this.#operation(), id }, this.#session);
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
   * Deletes an object. Terraform does not pass the internal properties of a tainted object, unless its replacement
   * exists already. In both cases the object is only forgotten: its job is in the journal, and the create continues it.
   */
  async #delete(
    prior: Block,
    { own, successor, destroys }: PrivateState,
  ): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [id, state] = this.#blocks.stateOf(prior, own ?? {});
    if (own !== undefined && successor !== undefined && this.#definition.staysForSuccessor?.(state, successor)) {
      const known = Object.entries(successor);
      this.#retired.add({ id, state }, (inputs) => known.every(([name, value]) => !differs(value, inputs[name])));
      this.#session.warn(
        undefined,
        `this apply removes ${id} after its replacement exists. If the apply ends before that, remove ${id} by hand. With create_before_destroy in the lifecycle block, Terraform keeps track of it.`,
      );
      return { newState: writeValue(null) };
    }
    if (own === undefined && this.#definition.staysForSuccessor !== undefined) {
      this.#session.warn(
        undefined,
        `the files of ${id} stay: Terraform deletes a tainted mirror without the key by which the provider knows its files. If no other mirror has these files, remove them by hand. A replacement with -replace instead of a taint removes them.`,
      );
    }
    const isUnderWay = this.#definition.isUnderWay(state);
    const isTakenUp = isUnderWay && this.#session.resumed.has(id);
    // Without its own part, as of a tainted object, a state that is under way may look as if it were not.
    if (!destroys && (isUnderWay || own !== undefined)) {
      this.#deleted.add({ id, isUnderWay: own === undefined }, (inputs) => this.#asksForSame(inputs, state));
    }
    if (own !== undefined && !isTakenUp) {
      await remove(this.#definition, { ...this.#operation(), id, state }, this.#session);
    }
    return { newState: writeValue(null) };
  }

  /**
   * Returns the answer to a create or an update. If a create fails, Terraform taints the object and replaces it in the
   * next run. If the user has cancelled, Terraform itself says so, and a warning instead of an error leaves the object
   * untainted.
   */
  #applied({ id, state, problem }: Applied, planned: Block, isNew: boolean): TerraformResponse<"ApplyResourceChange"> {
    const answer = {
      newState: this.#blocks.write(id, state, planned),
      private: writePrivate({ own: ownOf(state) }),
      newIdentity: this.#known(id),
    };
    if (problem === undefined) {
      return answer;
    }
    const told = errorDiagnostic(problem);
    if (isNew && problem instanceof InterruptedError) {
      return { ...answer, diagnostics: [{ ...told, severity: severity.warning }] };
    }
    const isTainted = isNew && this.#definition.isUnderWay(state);
    return { ...answer, diagnostics: [isTainted ? { ...told, detail: `${told.detail}\n${taintAdvice}` } : told] };
  }

  /** Returns whether a new resource with these inputs asks for the same as the resource of this state did. */
  #asksForSame(inputs: RawValues, state: RawValues): boolean {
    const { inputs: fields, outputs } = this.#definition;
    const isFromPlatform = (name: string) => inputs[name] === undefined && (outputs as string[]).includes(name);
    return Object.keys(fields)
      .filter((name) => fields[name]?.onChange === "replace")
      .every((name) => isFromPlatform(name) || !differs(inputs[name], state[name]));
  }

  async #removeRetired({ id, state }: Retired): Promise<void> {
    try {
      await remove(this.#definition, { ...this.#operation(), id, state }, this.#session);
    } catch (error) {
      this.#session.warn(
        undefined,
        `${id} was replaced, but could not be removed: ${asDocsPlatformError(error).happened}`,
      );
    }
  }

  #operation(): Operation {
    const settings = this.#settings();
    const scope = settings.journalScope();
    // Neither the scope nor the workspace changes while this process lives.
    this.#address ??=
      scope === unknown ? undefined : workspaceAddress(this.#definition.name, scope, this.#session.workplace);
    return { address: this.#address, settings, signal: this.#session.signal };
  }

  /**
   * Terraform itself demands what the schema requires. What an object that is there lacks all the same is ignored
   * (`ignore_changes`), and was not known to the import.
   */
  #check(inputs: RawValues, prior?: Block): ReturnType<typeof check> {
    const isIgnored = (name: string) =>
      prior !== undefined && this.#blocks.isRequired(name) && inputs[name] === undefined;
    const checked = check(this.#definition, inputs, this.#settings());
    return { ...checked, failures: checked.failures.filter(({ property }) => !isIgnored(property)) };
  }

  /** Returns the identity by which Terraform 1.12 and later knows the resource, if the resource can be imported. */
  #known(id: string): Identity | undefined {
    const { name } = providerSchema.identities[typeName(this.#definition.name)] ?? {};
    return name === undefined ? undefined : { identityData: writeValue({ [name]: id }) };
  }

  /**
   * Returns the internal properties of the resource that has this identity. While a part of the identity is not known,
   * only one resource may fit.
   */
  #readOwn(inputs: RawValues): RawValues | undefined {
    const { identity } = this.#definition;
    const isUnknown = (name: string) => inputs[name] === unknown;
    const fitting = this.#read.filter(({ state }) =>
      identity.every((name) => isUnknown(name) || !differs(inputs[name], state[name])),
    );
    return fitting.length > 1 && identity.some(isUnknown) ? undefined : fitting.at(-1)?.own;
  }
}

const taintAdvice =
  "Terraform marks a resource as tainted when its create fails: the next plan shows a replacement, which continues with the same job. To continue without a replacement, as prevent_destroy requires, run `terraform untaint <address>` first.";

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
