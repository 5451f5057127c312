import { type RawValues, unknown } from "../../definitions/values";
import { create, remove, update } from "../../engine/apply";
import { check } from "../../engine/check";
import { dropSavedEntry, dropSavedEntryNow } from "../../engine/evidence";
import { type Left, leftIn } from "../../engine/left";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied, Operation } from "../../engine/operation";
import { type Plan, plan } from "../../engine/plan";
import { ageImport, importById, read, settleSavedImport } from "../../engine/read";
import { StartJournal } from "../../engine/startJournal";
import { differs, holdsUnknown } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import { baseUrl, caFile } from "../../settings/settingTable";
import { asDocsPlatformError, ConfigurationError, InterruptedError } from "../../support/errors";
import { DeletedResources } from "./deletedResources";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { type ObjectPrivate, ownOf, type PrivateState, readPrivate, writePrivate } from "./privateState";
import type { TerraformSettings } from "./providerConfig";
import { failuresByRules, knownOf, ResourceBlocks } from "./resourceBlocks";
import { type BlockSchema, providerSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";
import { type AttributeSchemas, type Block, blockOfJson, readBlock, writeValue } from "./values";
import { type Identity, severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";
import { typeName } from "./words";

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
}

/** An object that a plan has read. */
interface ReadObject extends ObjectPrivate {
  state: RawValues;
}

/** The calls of this protocol for one kind of resource. */
export class TerraformResourceCalls {
  readonly #attributes: AttributeSchemas;
  readonly #identityName: string | undefined;
  readonly #blocks: ResourceBlocks;
  /** The objects that this process has read, by their ids. */
  readonly #read = new Map<string, ReadObject>();
  /** The states that this process was given, as JSON: a plan that reads nothing (`-refresh=false`) has no others. */
  readonly #given: Uint8Array[] = [];
  /** What those of them show that were parsed. */
  readonly #shown: [id: string, state: RawValues][] = [];
  readonly #deleted = new DeletedResources<Deleted>();
  /** The names of the entries that this plan has recorded, and the work on them. */
  readonly #recorded = new Set<string>();
  #planning: Promise<void> = Promise.resolve();
  #address: string | undefined;

  readonly #definition: Resource;
  readonly #settings: () => TerraformSettings;
  readonly #session: TerraformSession;

  constructor(definition: Resource, schema: BlockSchema, settings: () => TerraformSettings, session: TerraformSession) {
    this.#definition = definition;
    this.#settings = settings;
    this.#session = session;
    this.#attributes = schema.attributes;
    this.#identityName = providerSchema.identities[typeName(definition.name)]?.name;
    this.#blocks = new ResourceBlocks(definition, schema.attributes);
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
      this.#given.push(rawState.json);
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
    const settings = this.#settings();
    const place = settings.journalPlace();
    if (place !== unknown && settings.isKnown(baseUrl)) {
      await settleSavedImport(
        this.#definition,
        { ...this.#operation(), id, state: { ...state, ...own } },
        this.#session,
      );
    }
    this.#read.set(id, { own: ownOf(state), ...mark, state });
    if (!(failed && this.#definition.isUnderWay(state))) {
      dropSavedEntry(this.#session, place, state);
    } else if (place !== unknown) {
      // Where the new object is created before the old one is deleted, the create sees nothing but the journal.
      await this.#plannedNext(async () => {
        const name = await this.#journalOf(state)?.continueLater(leftIn(id, state), true);
        this.#recorded.add(name ?? "");
      });
    } else {
      // This call throws: an apply that cannot find this job might start a second job.
      settings.given();
    }
    if (!this.#definition.readsAtPlan || !settings.isKnown(caFile)) {
      const aged = own && writePrivate({ own: ownOf(state), ...mark });
      return { newState: currentState, private: aged, newIdentity: this.#known(id) };
    }
    const found = await read(this.#definition, { ...this.#operation(), id, state }, this.#session);
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
    if (readBlock(request.proposedNewState) === undefined) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate({ ...kept, destroys: true }) };
    }
    const config = readBlock(request.config) ?? {};
    const settings = this.#settings();
    const { inputs, failures } = this.#check(this.#blocks.inputsOf(config), prior, withoutProblems(settings));
    const problems = settings.problems().map(({ reason }) => ({ property: "", reason }));
    const replaceable = prior === undefined && kept.own === undefined ? this.#replaceable(inputs) : {};
    const isThere = prior !== undefined || kept.own !== undefined || Object.keys(replaceable).length > 0;
    const refused = isThere ? failures : [...failures, ...problems];
    if (refused.length > 0) {
      return { plannedState: request.proposedNewState, diagnostics: failureDiagnostics(refused, this.#attributes) };
    }
    if (prior === undefined) {
      this.#warnOfSettings(settings);
      await this.#plannedNext(() => this.#renewPlanned(inputs));
      const planned = this.#blocks.plannedBlock(config, inputs, () => unknown);
      const replaced = kept.own === undefined ? { replaceable } : { own: kept.own };
      return {
        plannedState: writeValue(planned),
        plannedPrivate: writePrivate({
          ...replaced,
          successor: knownOf(inputs),
          ...(holdsUnknown(inputs) && { isPartial: true }),
        }),
      };
    }
    const [id, state] = this.#blocks.stateOf(prior, kept.own ?? {});
    const filled = withEarlier(this.#definition, inputs, this.#blocks.inputsOf(config), state);
    const operation = { ...this.#operation(), id, state, inputs: filled };
    const planned = plan(this.#definition, operation, this.#session);
    if (planned.action !== "none") {
      this.#warnOfSettings(settings);
      // The create of a replacement sees nothing of this state.
      await this.#plannedNext(() => dropSavedEntryNow(this.#session, operation.settings.journalPlace(), state));
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
      return this.#create(inputs, planned);
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

  async #create(inputs: RawValues, planned: Block): Promise<TerraformResponse<"ApplyResourceChange">> {
    const deleted = this.#deleted.take(inputs);
    const isSame = deleted !== undefined && this.#asksForSame(inputs, deleted.state);
    const left = isSame ? deleted.left : undefined;
    if (deleted?.left !== undefined && left === undefined) {
      await this.#journalOf(deleted.state)?.forget(deleted.id);
    }
    const predecessor = deleted && { id: deleted.id, left };
    const replaced = deleted?.isWhole && (deleted.isRetired || left !== undefined) ? deleted.state : undefined;
    const operation = { ...this.#operation(), inputs, replaced, predecessor };
    const applied = await create(this.#definition, operation, this.#session);
    if (deleted?.isRetired && applied.problem === undefined) {
      await this.#removeRetired(deleted);
    }
    return this.#applied(applied, planned, true);
  }

  /**
   * Deletes an object. What a failed create has left is not deleted, but handed on: to the create of this process by its
   * memory, and to later runs by the journal.
   */
  async #delete(
    prior: Block,
    { destroys, successor = {}, isPartial, replaceable, ...kept }: PrivateState,
  ): Promise<TerraformResponse<"ApplyResourceChange">> {
    const tainted = kept.own === undefined ? (replaceable?.[String(prior.id)] ?? {}) : undefined;
    const { own } = tainted ?? kept;
    const [id, state] = this.#blocks.stateOf(prior, own ?? {});
    // If nothing was read, nothing tells who has tainted it: mostly it was a create that failed.
    const isLeft = tainted !== undefined && (own === undefined || tainted.failed === true);
    const left = isLeft && !destroys && this.#definition.isUnderWay(state) ? leftIn(id, state) : undefined;
    const isRetired =
      own !== undefined && !destroys && (this.#definition.staysForSuccessor?.(state, successor) ?? false);
    if (!destroys) {
      const known = Object.entries(successor);
      const isPlanned = (inputs: RawValues) => known.every(([name, value]) => !differs(value, inputs[name]));
      // Where the plan does not know an input, any create may look like the successor: only an equal one may settle what is left.
      const isSuccessor = (inputs: RawValues) =>
        isPlanned(inputs) && (left === undefined || !isPartial || this.#asksForSame(inputs, state));
      this.#deleted.add({ id, state, isWhole: own !== undefined, isRetired, left }, isSuccessor);
    }
    const isTakenUp = this.#definition.isUnderWay(state) && this.#session.resumed.has(id);
    if (isRetired) {
      this.#session.warn(
        undefined,
        `this apply removes ${id} after its replacement exists. If the apply ends before that, remove ${id} by hand. With create_before_destroy in the lifecycle block, Terraform keeps track of it.`,
      );
    } else if (left !== undefined) {
      await this.#journalOf(state)?.continueLater(left, false);
    } else if (own === undefined) {
      await this.#journalOf(state)?.forget(id);
      if (this.#definition.staysForSuccessor !== undefined) {
        this.#session.warn(
          undefined,
          `the files of ${id} stay: Terraform deletes a tainted mirror without the key by which the provider knows its files. If no other mirror has these files, remove them by hand. A replacement with -replace instead of a taint removes them.`,
        );
      }
    } else if (!isTakenUp) {
      await remove(this.#definition, { ...this.#operation(), id, state }, this.#session);
    }
    return { newState: writeValue(null) };
  }

  /** Does one piece of a plan's work on the journal after the other. */
  #plannedNext(work: () => Promise<void>): Promise<void> {
    this.#planning = this.#planning.then(work);
    return this.#planning;
  }

  /** Before a create, removes what earlier plans have recorded for it. Without a read, the states tell what is under way. */
  async #renewPlanned(inputs: RawValues): Promise<void> {
    if (this.#session.applies || this.#given.length + this.#shown.length === 0) {
      return;
    }
    const isRead = this.#read.size > 0;
    const states = isRead ? [] : this.#visible();
    const underWay = new Map(states.map(([id, state]) => [id, this.#definition.isUnderWay(state)]));
    // While the plan does not know an input, the create may ask for the same as any of these states.
    const requests = holdsUnknown(inputs)
      ? states.map(([, state]) => state).filter((state) => this.#asksForSame(inputs, state))
      : [inputs];
    for (const request of requests) {
      await this.#journalOf(request)?.renewPlanned(({ name, id, planned }) => {
        if (isRead) {
          return planned && !this.#recorded.has(name) ? "gone" : "same";
        }
        const isUnderWay = underWay.get(String(id));
        return isUnderWay === undefined ? "same" : isUnderWay ? "planned" : "gone";
      });
    }
  }

  /** Returns what the given states show, without their internal properties. Each is parsed once. */
  #visible(): readonly [id: string, state: RawValues][] {
    for (const json of this.#given.splice(0)) {
      const values: Record<string, unknown> = JSON.parse(Buffer.from(json).toString("utf8"));
      this.#shown.push(this.#blocks.stateOf(blockOfJson(this.#attributes, values), {}));
    }
    return this.#shown;
  }

  /** Returns what was read of the objects that a new resource with these inputs may replace. */
  #replaceable(inputs: RawValues): Record<string, ObjectPrivate> {
    const { identity } = this.#definition;
    const isNamed = (state: RawValues) =>
      identity.every((name) => inputs[name] === unknown || !differs(inputs[name], state[name]));
    const found = [...this.#read].filter(([, { state }]) => isNamed(state) || this.#asksForSame(inputs, state));
    return Object.fromEntries(found.map(([id, { state: _, ...rest }]) => [id, rest]));
  }

  /** The journal for what the inputs of this state, or these inputs, ask for. */
  #journalOf(values: RawValues): StartJournal | undefined {
    return StartJournal.of(this.#definition, this.#operation(), values, this.#session);
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

  /** Returns whether a new resource with these inputs asks, or may ask, for the same as the resource of this state did. */
  #asksForSame(inputs: RawValues, state: RawValues): boolean {
    const { inputs: fields, outputs } = this.#definition;
    const isFromPlatform = (name: string) => inputs[name] === undefined && (outputs as string[]).includes(name);
    return Object.keys(fields)
      .filter((name) => fields[name]?.onChange === "replace")
      .every((name) => isFromPlatform(name) || inputs[name] === unknown || !differs(inputs[name], state[name]));
  }

  async #removeRetired({ id, state }: Deleted): Promise<void> {
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
  #check(inputs: RawValues, prior?: Block, settings = this.#settings()): ReturnType<typeof check> {
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
