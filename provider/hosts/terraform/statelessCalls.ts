import { createUnrecorded } from "../../engine/apply";
import { check } from "../../engine/check";
import { warnOfMissingKey } from "../../engine/processSettings";
import { resources } from "../../resources/index";
import type { Resource } from "../../resources/resource";
import { findBlockDefinition } from "./definedBlocks";
import { failureDiagnostics } from "./diagnostics";
import { type BlockSchema, providerSchema } from "./schema";
import type { ConfiguredProvider } from "./terraformSession";
import { encodeResultBlock, fromTerraformBlock, readBlock } from "./values";
import type { DynamicValue, TerraformRequest } from "./wire/messages";

/* Actions (Terraform 1.14) and ephemeral resources. */

export function planAction({ actionType, config }: TerraformRequest<"PlanAction">, provider: ConfiguredProvider) {
  const { diagnostics } = checked(actionOf(actionType), config, provider);
  warnOfMissingKey(provider.settings(), provider.session);
  return { diagnostics };
}

/** @returns the reasons why the action is refused, or an empty list if the action succeeded. */
export async function invokeAction(request: TerraformRequest<"InvokeAction">, provider: ConfiguredProvider) {
  const action = actionOf(request.actionType);
  const { operation, diagnostics } = checked(action, request.config, provider);
  if (diagnostics.length === 0) {
    await createUnrecorded(action[1], operation, provider.session);
  }
  return diagnostics;
}

export async function openEphemeral(request: TerraformRequest<"OpenEphemeralResource">, provider: ConfiguredProvider) {
  const opened = findBlockDefinition(
    "ephemeral resource",
    providerSchema.ephemeralResources,
    resources,
    request.typeName,
  );
  const { operation } = checked(opened, request.config, provider);
  const state = await createUnrecorded(opened[1], operation, provider.session);
  return { result: encodeResultBlock(opened[0].attributes, {}, state) };
}

function checked(
  [{ attributes }, definition]: [schema: BlockSchema, definition: Resource],
  config: DynamicValue | undefined,
  provider: ConfiguredProvider,
) {
  const settings = provider.settings();
  const given = fromTerraformBlock(attributes, readBlock(config) ?? {});
  const { inputs, failures, settingFailures } = check(definition, given, settings);
  const diagnostics = failureDiagnostics([...failures, ...settingFailures], attributes);
  return { operation: { inputs, settings }, diagnostics };
}

function actionOf(name: string | undefined) {
  return findBlockDefinition("action", providerSchema.actions, resources, name);
}
