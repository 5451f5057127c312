import type { RawValues } from "../../definitions/values";
import { create } from "../../engine/apply";
import { check } from "../../engine/check";
import { warnOfMissingKey } from "../../engine/readiness";
import { resources } from "../../resources/index";
import type { Outcome } from "../../resources/lifecycle";
import type { Resource } from "../../resources/resource";
import type { Aftermath } from "../../support/errors";
import { findBlock } from "./definedBlocks";
import { failureDiagnostics, messageDiagnostic } from "./diagnostics";
import { type BlockSchema, providerSchema } from "./schema";
import type { ConfiguredProvider } from "./terraformSession";
import { plainValues, readBlock, resultBlock } from "./values";
import type { Diagnostic, DynamicValue, TerraformRequest, TerraformResponse } from "./wire/messages";

/*
 * Actions (Terraform 1.14) and ephemeral resources. The journal does not record their starts, because a user who
 * invokes an action again wants a new job.
 */

type Defined = [schema: BlockSchema, definition: Resource];

export function planAction(
  { actionType, config }: TerraformRequest<"PlanAction">,
  provider: ConfiguredProvider,
): TerraformResponse<"PlanAction"> {
  const { diagnostics } = checked(actionOf(actionType), config, provider);
  warnOfMissingKey(provider.settings(), provider.session);
  return { diagnostics };
}

/** @returns the errors; an empty list if the action succeeded. */
export async function invokeAction(
  { actionType, config }: TerraformRequest<"InvokeAction">,
  provider: ConfiguredProvider,
): Promise<Diagnostic[]> {
  const action = actionOf(actionType);
  const { inputs, diagnostics } = checked(action, config, provider);
  if (diagnostics.length > 0) {
    return diagnostics;
  }
  const outcome = await make(action, inputs, provider);
  return outcome.problem === undefined
    ? []
    : [messageDiagnostic(outcome.problem.messageWith(aftermathOf(action[1], outcome)))];
}

export async function openEphemeral(
  { typeName, config }: TerraformRequest<"OpenEphemeralResource">,
  provider: ConfiguredProvider,
): Promise<TerraformResponse<"OpenEphemeralResource">> {
  const opened = findBlock("ephemeral resource", providerSchema.ephemeralResources, resources, typeName);
  const { state } = await make(opened, checked(opened, config, provider).inputs, provider);
  return { result: resultBlock(opened[0].attributes, {}, state) };
}

function checked(
  [{ attributes }, definition]: Defined,
  config: DynamicValue | undefined,
  { settings }: ConfiguredProvider,
) {
  const given = plainValues(attributes, readBlock(config) ?? {});
  const { inputs, failures, settingFailures } = check(definition, given, settings());
  return { inputs, diagnostics: failureDiagnostics([...failures, ...settingFailures], attributes) };
}

function make([, definition]: Defined, inputs: RawValues, { settings, session }: ConfiguredProvider) {
  return create(definition, { inputs, settings: settings(), signal: session.signal }, session);
}

function actionOf(name: string | undefined): Defined {
  return findBlock("action", providerSchema.actions, resources, name);
}

function aftermathOf({ kept }: Resource, { id, state: { jobId, status } }: Outcome<RawValues>): Aftermath {
  const what = kept === undefined ? `what was sent to job ${jobId}` : `${kept} ${id}`;
  return {
    exists: `${status === undefined ? `perhaps ${what}` : `${what}, last seen "${status}"`}. No state keeps it.`,
    nextRun: "another invocation starts another job, or sends another message.",
    remedy:
      "look at the job on the platform. To continue with an export job, adopt it as job_id of a docsplatform_static_export, or import it.",
  };
}
