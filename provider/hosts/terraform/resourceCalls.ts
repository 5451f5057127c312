import { type RawValues, unknown } from "../../definitions/values";
import { update } from "../../engine/apply";
import { check } from "../../engine/check";
import { dropSavedEntry } from "../../engine/entryCleanup";
import { warnOfMissingKey } from "../../engine/missingKey";
import { type Plan, plan } from "../../engine/plan";
import { ageImport, importById, read } from "../../engine/read";
import type { Outcome } from "../../resources/lifecycle";
import type { Resource } from "../../resources/resource";
import { caFile } from "../../settings/settingTable";
import { ConfigurationError } from "../../support/errors";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { ownOf, readPrivate, writePrivate } from "./privateState";
import type { TerraformSettings } from "./providerConfig";
import { TerraformReplacements } from "./replacements";
import { knownOf } from "./resourceBlocks";
import { ResourceKind } from "./resourceKind";
import { type Block, isAbsent, readBlock, writeValue } from "./values";
import { severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";

export class TerraformResourceCalls extends ResourceKind {
  readonly #replacements = new TerraformReplacements(this);
  /** The states that this process has read, by their ids. Terraform gives a plan nothing of a tainted object. */
  readonly #read = new Map<string, RawValues>();

  /** Terraform itself drops what the schema does not have. */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
    return { upgradedState: { json: rawState?.json } };
  }

  /** Terraform reads at each plan, so only what costs no request to the platform is read. */
  async read({
    currentState,
    private: bytes,
  }: TerraformRequest<"ReadResource">): Promise<TerraformResponse<"ReadResource">> {
    const block = readBlock(currentState);
    const { own } = readPrivate(bytes);
    if (block === undefined) {
      return { newState: writeValue(null), private: bytes };
    }
    const [id, state] = this.blocks.stateOf(block, ageImport(own ?? {}));
    const settings = this.settings();
    this.#read.set(id, state);
    dropSavedEntry(this.session, settings.journalPlace(), state);
    if (!this.definition.readsAtPlan || !settings.isKnown(caFile)) {
      const aged = own && writePrivate({ own: ownOf(state) });
      return { newState: currentState, private: aged };
    }
    const found = await read(this.definition, { ...this.operation(), id, state }, this.session);
    return found === undefined
      ? { newState: writeValue(null), private: bytes }
      : {
          newState: this.blocks.write(id, found, block),
          private: writePrivate({ own: ownOf(found) }),
        };
  }

  async plan(request: TerraformRequest<"PlanResourceChange">): Promise<TerraformResponse<"PlanResourceChange">> {
    const prior = readBlock(request.priorState);
    const kept = readPrivate(request.priorPrivate);
    if (isAbsent(request.proposedNewState)) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate({ ...kept, destroys: true }) };
    }
    const config = readBlock(request.config) ?? {};
    const configured = this.blocks.inputsOf(config);
    const settings = this.settings();
    const { inputs, failures } = this.#check(configured, prior, withoutProblems(settings));
    const problems = settings.problems().map((reason) => ({ property: "", reason }));
    const replaceable = prior === undefined && kept.own === undefined ? this.#replaceableBy(inputs) : {};
    const isThere = prior !== undefined || kept.own !== undefined || Object.keys(replaceable).length > 0;
    const refused = isThere ? failures : [...failures, ...problems];
    if (refused.length > 0) {
      return {
        plannedState: request.proposedNewState,
        diagnostics: failureDiagnostics(refused, this.schema.attributes),
      };
    }
    if (prior === undefined) {
      if (this.definition.starts) {
        this.session.planStart();
      }
      this.#warnOfSettings(settings);
      const planned = this.blocks.plannedBlock(config, inputs, () => unknown);
      const replaced = kept.own === undefined ? { replaceable } : { own: kept.own };
      return {
        plannedState: writeValue(planned),
        plannedPrivate: writePrivate({ ...replaced, successor: knownOf(inputs) }),
      };
    }
    const [id, state] = this.blocks.stateOf(prior, kept.own ?? {});
    const filled = withEarlier(this.definition, inputs, configured, state);
    const operation = { ...this.operation(), id, state, inputs: filled };
    const planned = plan(this.definition, operation, this.session);
    if (planned.action !== "none") {
      this.#warnOfSettings(settings);
    }
    return {
      plannedState: writeValue(
        this.blocks.plannedBlock(config, filled, (name, property) => outcome(planned, property, prior[name])),
      ),
      requiresReplace: this.blocks.replacedPaths(planned.replaces, state, filled),
      plannedPrivate: writePrivate(kept),
    };
  }

  /** The inputs come from the plan, since the configuration may contain changes that the plan ignores. */
  async apply(request: TerraformRequest<"ApplyResourceChange">): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [prior, planned] = [readBlock(request.priorState), readBlock(request.plannedState)];
    const kept = readPrivate(request.plannedPrivate);
    if (planned === undefined) {
      await this.#replacements.delete(prior ?? {}, kept);
      return { newState: writeValue(null) };
    }
    const { inputs, failures } = this.#check({
      ...this.blocks.requiredInputs(request.config),
      ...knownOf(this.blocks.inputsOf(planned)),
    });
    if (failures.length > 0) {
      const diagnostics = failureDiagnostics(failures, this.schema.attributes);
      return { newState: request.priorState, private: writePrivate(kept), diagnostics };
    }
    if (prior === undefined) {
      return this.#created(await this.#replacements.create(inputs), planned);
    }
    const [id, state] = this.blocks.stateOf(prior, kept.own ?? {});
    try {
      const outcome = await update(this.definition, { ...this.operation(), id, state, inputs }, this.session);
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
    const { notImported } = this.definition;
    const { id = "" } = request;
    if (notImported !== undefined) {
      throw new ConfigurationError(
        [`this resource cannot be imported: ${notImported}`],
        "declare the resource, without an import.",
      );
    }
    const found = await importById(this.definition, { ...this.operation(), id }, this.session);
    const state = found?.state ?? {};
    return {
      importedResources: [
        {
          typeName: request.typeName,
          state: this.blocks.write(id, state, {}),
          private: writePrivate({ own: ownOf(state) }),
        },
      ],
    };
  }

  /**
   * Returns the answer to a create. Terraform taints an object whose create fails, and gives nobody its private data. So a
   * wait that ends early is a warning: the next plan shows an update, which waits again. A failed job is not saved: the
   * next apply starts another export. It sends no message again, since the journal keeps the message's entry. Only files
   * that a failed create has left need a deletion.
   */
  #created(outcome: Outcome<RawValues>, planned: Block): TerraformResponse<"ApplyResourceChange"> {
    const { problem, goesOn } = outcome;
    return problem !== undefined && !goesOn && this.definition.starts
      ? { newState: writeValue(null), diagnostics: [errorDiagnostic(problem)] }
      : this.#saved(outcome, planned, goesOn ? severity.warning : severity.error);
  }

  #saved(
    { id, state, problem }: Outcome<RawValues>,
    planned: Block,
    loudness: number,
  ): TerraformResponse<"ApplyResourceChange"> {
    return {
      newState: this.blocks.write(id, state, planned),
      private: writePrivate({ own: ownOf(state) }),
      ...(problem !== undefined && { diagnostics: [{ ...errorDiagnostic(problem), severity: loudness }] }),
    };
  }

  #replaceableBy(inputs: RawValues): Record<string, RawValues> {
    const found = [...this.#read].filter(([, state]) => this.isLike(inputs, state));
    return Object.fromEntries(found.map(([id, state]) => [id, ownOf(state)]));
  }

  /** Terraform demands what is required. What is missing all the same is ignored, and was not known to the import. */
  #check(inputs: RawValues, prior?: Block, settings = this.settings()): ReturnType<typeof check> {
    const isIgnored = (name: string) =>
      prior !== undefined && this.blocks.isRequired(name) && inputs[name] === undefined;
    const checked = check(this.definition, inputs, settings);
    return { ...checked, failures: checked.failures.filter(({ property }) => !isIgnored(property)) };
  }

  /**
   * Warns that an apply will be refused. Terraform plans as usual before it destroys, and tells nobody: what is there
   * already can be destroyed without a setting.
   */
  #warnOfSettings(settings: TerraformSettings): void {
    const reasons = settings.problems();
    if (reasons.length === 0) {
      warnOfMissingKey(settings, this.session);
    } else if (this.session.once("warn of wrong settings")) {
      this.session.warn(
        undefined,
        `DOCS_CONFIGURATION, an apply that has something to send will be refused: ${reasons.join("; ")}`,
      );
    }
  }
}

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

function outcome({ action, changingOutputs }: Plan, property: string, prior: unknown): unknown {
  const changes = action === "replace" || changingOutputs.includes(property);
  return changes ? unknown : (prior ?? null);
}
