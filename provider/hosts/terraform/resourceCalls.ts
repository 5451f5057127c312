import { unknown } from "../../definitions/values";
import { NotedCalls } from "../../engine/notedCalls";
import type { Operation } from "../../engine/operation";
import type { Resource } from "../../resources/resource";
import type { GivenSettings } from "../../settings/settings";
import { errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { readPrivate, writePrivate } from "./privateState";
import { ResourceBlocks } from "./resourceBlocks";
import type { BlockSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";
import { isAbsent, readBlock, writeValue } from "./values";
import { severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";

/** The answers to Terraform's calls for the resources of one type. */
export class TerraformResourceCalls {
  readonly #blocks: ResourceBlocks;
  readonly #calls: NotedCalls;
  #address: string | undefined;

  constructor(
    private readonly definition: Resource,
    private readonly schema: BlockSchema,
    private readonly settings: () => GivenSettings,
    private readonly session: TerraformSession,
  ) {
    this.#blocks = new ResourceBlocks(definition, schema.attributes);
    this.#calls = new NotedCalls(definition, session);
  }

  /** Returns the state unchanged, because Terraform itself drops attributes that the schema does not have. */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
    return { upgradedState: { json: rawState?.json } };
  }

  async read(request: TerraformRequest<"ReadResource">): Promise<TerraformResponse<"ReadResource">> {
    const current = readBlock(request.currentState) ?? {};
    const operation = { ...this.#operation(), ...this.#blocks.savedIn(current) };
    const kept = readPrivate(request.private);
    const found = isAbsent(request.currentState) ? undefined : await this.#calls.read(operation, kept);
    return found === undefined
      ? { newState: writeValue(null), private: request.private }
      : {
          newState: this.#blocks.write(found.id, found.state, current),
          private: found.notes && writePrivate(found.notes),
        };
  }

  plan(request: TerraformRequest<"PlanResourceChange">): TerraformResponse<"PlanResourceChange"> {
    const kept = readPrivate(request.priorPrivate);
    this.session.applies ||= (request.plannedPrivate?.length ?? 0) > 0;
    if (isAbsent(request.proposedNewState)) {
      return { plannedState: writeValue(null), plannedPrivate: writePrivate(this.#calls.planDelete(kept)) };
    }
    const before = readBlock(request.priorState);
    const prior = before && this.#blocks.savedIn(before);
    const config = readBlock(request.config) ?? {};
    const given = this.#blocks.inputsOf(config);
    const { refused, inputs, replaces, changes, notes } = this.#calls.plan(this.#operation(), prior, given, kept);
    if (refused.length > 0) {
      const diagnostics = failureDiagnostics(refused, this.schema.attributes);
      return { plannedState: request.proposedNewState, diagnostics };
    }
    const outputOf = (name: string, property: string) => (changes(property) ? unknown : (before?.[name] ?? null));
    return {
      plannedState: writeValue(this.#blocks.plannedBlock(config, inputs, outputOf)),
      requiresReplace: this.#blocks.replacedPaths(replaces, prior?.state ?? {}, inputs),
      plannedPrivate: writePrivate(notes),
    };
  }

  async apply(request: TerraformRequest<"ApplyResourceChange">): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [before, after] = [readBlock(request.priorState), readBlock(request.plannedState)];
    const kept = readPrivate(request.plannedPrivate);
    if (after === undefined) {
      await this.#calls.delete({ ...this.#operation(), ...this.#blocks.savedIn(before ?? {}) }, kept);
      return { newState: writeValue(null) };
    }
    const prior = before && this.#blocks.savedIn(before);
    const planned = this.#blocks.inputsOf(after);
    const configured = this.#blocks.inputsOf(readBlock(request.config) ?? {});
    const applied = await this.#calls.apply(this.#operation(), prior, { planned, configured }, kept);
    const { saved, refused = [], problem, isWarning } = applied;
    const diagnostics = failureDiagnostics(refused, this.schema.attributes);
    if (problem !== undefined) {
      diagnostics.push(errorDiagnostic(problem, isWarning ? severity.warning : severity.error));
    }
    if (saved === undefined) {
      return { newState: request.priorState, private: writePrivate(kept), diagnostics };
    }
    return saved === null
      ? { newState: writeValue(null), diagnostics }
      : {
          newState: this.#blocks.write(saved.id, saved.state, after),
          private: writePrivate(saved.notes),
          diagnostics,
        };
  }

  async import({
    typeName,
    id = "",
  }: TerraformRequest<"ImportResourceState">): Promise<TerraformResponse<"ImportResourceState">> {
    const { state, notes } = await this.#calls.import({ ...this.#operation(), id });
    return {
      importedResources: [{ typeName, state: this.#blocks.write(id, state, {}), private: writePrivate(notes) }],
    };
  }

  #operation(): Operation {
    const settings = this.settings();
    // The address is calculated once, because neither the scope nor the workspace changes while this process lives.
    this.#address ??= settings.isKnown("journalScope")
      ? workspaceAddress(this.definition.name, settings.values.journalScope, this.session.workplace)
      : undefined;
    return { address: this.#address, settings };
  }
}
