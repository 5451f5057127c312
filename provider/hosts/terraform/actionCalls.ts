import type { RawValues } from "../../definitions/values";
import { create } from "../../engine/apply";
import { check } from "../../engine/check";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied } from "../../engine/operation";
import type { SettingsReader } from "../../engine/settingsReader";
import { resources } from "../../resources/index";
import type { Resource } from "../../resources/resource";
import { ConfigurationError, type Outcome } from "../../support/errors";
import { failureDiagnostics, messageDiagnostic } from "./diagnostics";
import { failuresByRules } from "./resourceBlocks";
import { type BlockSchema, providerSchema } from "./schema";
import type { TerraformSession } from "./terraformSession";
import { plainValues, readBlock } from "./values";
import type { Diagnostic, DynamicValue, TerraformRequest, TerraformResponse } from "./wire/messages";

/**
 * The calls for the actions of Terraform 1.14. An action begins what a resource begins, but keeps no state. So nothing
 * is recorded in the journal: whoever invokes an action again wants a new job or message.
 */
export class ActionCalls {
  readonly #settings: () => SettingsReader;
  readonly #session: TerraformSession;

  constructor(settings: () => SettingsReader, session: TerraformSession) {
    this.#settings = settings;
    this.#session = session;
  }

  validate({ typeName, config }: TerraformRequest<"ValidateActionConfig">): TerraformResponse<"ValidateActionConfig"> {
    const [{ attributes }, definition] = actionOf(typeName);
    const inputs = plainValues(attributes, readBlock(config) ?? {});
    return { diagnostics: failureDiagnostics(failuresByRules(definition, inputs, "this action"), attributes) };
  }

  /** Refuses an action that would fail, before anything begins. */
  plan({ actionType, config }: TerraformRequest<"PlanAction">): TerraformResponse<"PlanAction"> {
    const diagnostics = this.#checked(actionType, config).failures;
    warnOfMissingKey(this.#settings(), this.#session);
    return { diagnostics };
  }

  /** @returns the reasons if the action failed. */
  async invoke({ actionType, config }: TerraformRequest<"InvokeAction">): Promise<Diagnostic[]> {
    const { definition, inputs, failures } = this.#checked(actionType, config);
    if (failures.length > 0) {
      return failures;
    }
    const operation = { inputs, settings: this.#settings(), signal: this.#session.signal };
    const applied = await create(definition, operation, this.#session);
    return applied.problem === undefined
      ? []
      : [messageDiagnostic(applied.problem.messageWith(outcomeOf(definition, applied)))];
  }

  #checked(
    name: string | undefined,
    config: DynamicValue | undefined,
  ): { definition: Resource; inputs: RawValues; failures: Diagnostic[] } {
    const [{ attributes }, definition] = actionOf(name);
    const { inputs, failures } = check(definition, plainValues(attributes, readBlock(config) ?? {}), this.#settings());
    return { definition, inputs, failures: failureDiagnostics(failures, attributes) };
  }
}

/** Returns what exists after an action that has failed: no state keeps it. */
function outcomeOf({ kept }: Resource, { id, state }: Applied): Outcome {
  const { jobId, status } = state;
  const seen = status === undefined ? "" : `, last seen "${status}"`;
  if (kept !== undefined) {
    return {
      exists: `${kept} ${id}${seen}. No state keeps it.`,
      nextRun: "another invocation starts another job.",
      remedy: "to continue with this job, adopt it as job_id of a docsplatform_static_export, or import it.",
    };
  }
  const message =
    status === undefined ? "perhaps the message: it may have reached" : "the message, which was sent, and";
  return {
    exists: `${message} agent job ${jobId}${seen}. No state keeps it.`,
    nextRun: "another invocation sends another message.",
    remedy: "check the agent job on the platform, or by the data source docsplatform_agent_job.",
  };
}

function actionOf(name = ""): [BlockSchema, Resource] {
  const schema = providerSchema.actions[name];
  const definition = resources[schema?.property ?? ""];
  if (schema === undefined || definition === undefined) {
    throw new ConfigurationError([`there is no action ${name}`], "use one that this provider has.");
  }
  return [schema, definition];
}
