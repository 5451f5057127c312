import { type RawValues, unknown } from "../../definitions/values";
import type { BaseOperation } from "../../engine/operation";
import { PlanThenApplyHandler } from "../../engine/planThenApplyHandler";
import { differsFromStored } from "../../resources/differsFromStored";
import type { Resource } from "../../resources/resource";
import type { CheckedSettings } from "../../settings/settings";
import { mapValues, pickProperties } from "../../support/objects";
import { camelCase, snakeCase } from "../../support/words";
import { attributePathOf, errorDiagnostic, failureDiagnostics } from "./diagnostics";
import { decodePrivateState, encodePrivateState } from "./privateState";
import type { BlockSchema } from "./schema";
import { resourceAddressForJournal, type TerraformSession } from "./terraformSession";
import {
  type AttributeSchemas,
  type BlockValues,
  encodeDynamicValue,
  fromTerraformBlock,
  fromTerraformValue,
  isNullOrMissing,
  readBlock,
  toTerraformValue,
} from "./values";
import { type AttributePath, severity, type TerraformRequest, type TerraformResponse } from "./wire/messages";

export class TerraformResourceCalls {
  readonly #inputs: AttributeSchemas;
  readonly #calls: PlanThenApplyHandler;
  #address: string | undefined;

  constructor(
    private readonly definition: Resource,
    private readonly schema: BlockSchema,
    private readonly settings: () => CheckedSettings,
    private readonly session: TerraformSession,
  ) {
    this.#inputs = pickProperties(schema.attributes, (name) => Object.hasOwn(definition.inputs, camelCase(name)));
    this.#calls = new PlanThenApplyHandler(definition, session);
  }

  /** Returns the state unchanged, because Terraform itself drops attributes that the schema does not have. */
  upgrade({ rawState }: TerraformRequest<"UpgradeResourceState">): TerraformResponse<"UpgradeResourceState"> {
    return { upgradedState: { json: rawState?.json } };
  }

  async read(request: TerraformRequest<"ReadResource">): Promise<TerraformResponse<"ReadResource">> {
    const current = readBlock(request.currentState) ?? {};
    const operation = { ...this.#operation(), ...this.#savedIn(current) };
    const kept = decodePrivateState(request.private);
    const found = isNullOrMissing(request.currentState) ? undefined : await this.#calls.read(operation, kept);
    if (found === undefined) {
      return { newState: encodeDynamicValue(null), private: request.private };
    }
    const { id, state, notes } = found;
    return { newState: this.#write(id, state, current), private: notes && encodePrivateState(notes) };
  }

  plan(request: TerraformRequest<"PlanResourceChange">): TerraformResponse<"PlanResourceChange"> {
    const kept = decodePrivateState(request.priorPrivate);
    this.session.applies ||= (request.plannedPrivate?.length ?? 0) > 0;
    if (isNullOrMissing(request.proposedNewState)) {
      return {
        plannedState: encodeDynamicValue(null),
        plannedPrivate: encodePrivateState(this.#calls.planDelete(kept)),
      };
    }
    const before = readBlock(request.priorState);
    const prior = before && this.#savedIn(before);
    const config = readBlock(request.config) ?? {};
    const given = this.#inputsOf(config);
    const { refused, inputs, replaces, changes, notes } = this.#calls.plan(this.#operation(), prior, given, kept);
    if (refused.length > 0) {
      const diagnostics = failureDiagnostics(refused, this.schema.attributes);
      return { plannedState: request.proposedNewState, diagnostics };
    }
    const outputOf = (name: string, property: string) => (changes(property) ? unknown : (before?.[name] ?? null));
    return {
      plannedState: encodeDynamicValue(this.#plannedBlock(config, inputs, outputOf)),
      requiresReplace: this.#replacedPaths(replaces, prior?.state ?? {}, inputs),
      plannedPrivate: encodePrivateState(notes),
    };
  }

  async apply(request: TerraformRequest<"ApplyResourceChange">): Promise<TerraformResponse<"ApplyResourceChange">> {
    const [before, after] = [readBlock(request.priorState), readBlock(request.plannedState)];
    const kept = decodePrivateState(request.plannedPrivate);
    if (after === undefined) {
      await this.#calls.delete({ ...this.#operation(), ...this.#savedIn(before ?? {}) }, kept);
      return { newState: encodeDynamicValue(null) };
    }
    const prior = before && this.#savedIn(before);
    const planned = this.#inputsOf(after);
    const configured = this.#inputsOf(readBlock(request.config) ?? {});
    const applied = await this.#calls.apply(this.#operation(), prior, { planned, configured }, kept);
    const { saved, refused = [], problem, isWarning } = applied;
    const diagnostics = failureDiagnostics(refused, this.schema.attributes);
    if (problem !== undefined) {
      diagnostics.push(errorDiagnostic(problem, isWarning ? severity.warning : severity.error));
    }
    if (saved === undefined) {
      return { newState: request.priorState, private: encodePrivateState(kept), diagnostics };
    }
    const newState = saved === null ? encodeDynamicValue(null) : this.#write(saved.id, saved.state, after);
    return { newState, private: saved === null ? undefined : encodePrivateState(saved.notes), diagnostics };
  }

  async import({ typeName, id = "" }: TerraformRequest<"ImportResourceState">) {
    const { state, notes } = await this.#calls.import({ ...this.#operation(), id });
    return { importedResources: [{ typeName, state: this.#write(id, state, {}), private: encodePrivateState(notes) }] };
  }

  #inputsOf(block: BlockValues): RawValues {
    return fromTerraformBlock(this.#inputs, block);
  }

  #savedIn(block: BlockValues): { id: string; state: RawValues } {
    const { id = "", ...state } = fromTerraformBlock(this.schema.attributes, block);
    return { id: String(id), state };
  }

  /**
   * @param expected the block that Terraform has now. The state may have an equal value in another form, such as a text
   * instead of a number. The form in `expected` is then written.
   */
  #write(id: string, state: RawValues, expected: BlockValues) {
    const values = mapValues(this.schema.attributes, (name, { type, computed }) => {
      // An input that was planned as null stays null, even if the state has another value.
      const isLeftOut = expected[name] === null && !computed;
      const value = name === "id" ? id : isLeftOut ? undefined : state[camelCase(name)];
      const isExpected = !differsFromStored(fromTerraformValue(type, expected[name], name), value);
      return isExpected ? (expected[name] ?? null) : toTerraformValue(type, value);
    });
    return encodeDynamicValue(values);
  }

  #plannedBlock(
    config: BlockValues,
    inputs: RawValues,
    output: (name: string, property: string) => unknown,
  ): BlockValues {
    return mapValues(this.schema.attributes, (name, { type, computed }) => {
      const property = camelCase(name);
      const configured = config[name] ?? undefined;
      const other = () =>
        inputs[property] === undefined ? output(name, property) : toTerraformValue(type, inputs[property]);
      return configured ?? (computed ? other() : null);
    });
  }

  /**
   * Returns the attributes that require a replacement. Terraform ignores an attribute whose planned value equals its
   * old value, for example under `ignore_changes`. If the result has such an attribute, it also has an output. The
   * output is unknown in the plan, so Terraform does not ignore the output, and replaces the resource.
   */
  #replacedPaths(properties: readonly string[], state: RawValues, inputs: RawValues): AttributePath[] {
    const names = properties.map(snakeCase);
    const isHidden = properties.some((property) => !differsFromStored(state[property], inputs[property]));
    const output = Object.keys(this.schema.attributes).find((name) => {
      const { computed, optional } = this.schema.attributes[name] ?? {};
      return computed && !optional && name !== "id";
    });
    return (isHidden && output !== undefined ? [...names, output] : names).map(attributePathOf);
  }

  #operation(): BaseOperation {
    const settings = this.settings();
    // Neither the scope nor the workspace changes while this process lives.
    this.#address ??= settings.isKnown("journalScope")
      ? resourceAddressForJournal(this.definition.name, settings.values.journalScope, this.session.workplace)
      : undefined;
    return { address: this.#address, settings };
  }
}
