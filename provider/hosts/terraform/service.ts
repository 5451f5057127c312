import { PassThrough } from "node:stream";
import { applyProcessSettings } from "../../engine/processSettings";
import { functions } from "../../functions/index";
import { resources } from "../../resources/index";
import type { CheckedSettings } from "../../settings/settings";
import { setWords } from "../../support/words";
import { findBlockDefinition, validateBlock } from "./definedBlocks";
import { errorDiagnostic } from "./diagnostics";
import { callProviderFunction, readDataSource } from "./functionCalls";
import { configFailures, terraformSettingsOf } from "./providerConfig";
import { TerraformResourceCalls } from "./resourceCalls";
import { functionSchemas, providerSchema } from "./schema";
import { invokeAction, openEphemeral, planAction } from "./statelessCalls";
import { TerraformSession } from "./terraformSession";
import { readBlock } from "./values";
import type { Diagnostic, TerraformMethods, TerraformRequest, TerraformResponse } from "./wire/messages";
import { terraformWords } from "./words";

type Answers = {
  [Name in keyof TerraformMethods]?: (
    request: TerraformRequest<Name>,
  ) => TerraformResponse<Name> | Promise<TerraformResponse<Name>>;
};

export type TerraformService = ReturnType<typeof createTerraformService>;

export function createTerraformService(session = new TerraformSession()) {
  setWords(terraformWords);
  let settings: CheckedSettings | undefined;
  const configured = () => {
    settings ??= terraformSettingsOf({}, session.workplace.environment);
    return settings;
  };
  const provider = { settings: configured, session };
  const kinds = providerSchema.resources;
  const calls = Object.fromEntries(
    Object.keys(kinds).map((name) => {
      const [schema, definition] = findBlockDefinition("resource", kinds, resources, name);
      return [definition.name, new TerraformResourceCalls(definition, schema, configured, session)];
    }),
  );
  const resourceOf = ({ typeName }: { typeName?: string | undefined }) =>
    findBlockDefinition("resource", kinds, calls, typeName)[1];

  const answers: Answers = {
    GetFunctions: () => ({ functions: functionSchemas() }),
    ValidateProviderConfig: ({ config }) => ({ diagnostics: configFailures(readBlock(config) ?? {}) }),
    ConfigureProvider: ({ config, terraformVersion, clientCapabilities }) => {
      const { deferralAllowed = false, storePlannedPrivate = false } = clientCapabilities ?? {};
      session.applies = deferralAllowed && !storePlannedPrivate;
      settings = terraformSettingsOf(readBlock(config) ?? {}, session.workplace.environment);
      setWords({ ...terraformWords, engine: terraformVersion && `terraform ${terraformVersion}` });
      applyProcessSettings(settings, session);
      return {};
    },
    ValidateResourceConfig: (request) => validateBlock("resource", kinds, resources, request),
    UpgradeResourceState: (request) => resourceOf(request).upgrade(request),
    ReadResource: (request) => resourceOf(request).read(request),
    PlanResourceChange: (request) => resourceOf(request).plan(request),
    ApplyResourceChange: (request) => resourceOf(request).apply(request),
    ImportResourceState: (request) => resourceOf(request).import(request),
    ValidateDataResourceConfig: (request) =>
      validateBlock("data source", providerSchema.dataSources, functions, request),
    ReadDataSource: (request) => readDataSource(request, provider),
    ValidateEphemeralResourceConfig: (request) =>
      validateBlock("ephemeral resource", providerSchema.ephemeralResources, resources, request),
    OpenEphemeralResource: (request) => openEphemeral(request, provider),
    CloseEphemeralResource: () => ({}),
    CallFunction: (request) => callProviderFunction(request, provider),
    ValidateActionConfig: (request) => validateBlock("action", providerSchema.actions, resources, request),
    PlanAction: (request) => planAction(request, provider),
    StopProvider: () => {
      session.cancel();
      return {};
    },
  };
  return {
    call: (name: keyof TerraformMethods, request: object, diagnostics: Diagnostic[]): Promise<object> =>
      session.during(diagnostics, async () => {
        try {
          return await (answers[name] as (request: object) => object | Promise<object>)(request);
        } catch (error) {
          diagnostics.push(errorDiagnostic(error));
          return {};
        }
      }),
    invoke(request: TerraformRequest<"InvokeAction">): AsyncIterable<TerraformResponse<"InvokeAction">> {
      const events = new PassThrough({ objectMode: true });
      const diagnostics: Diagnostic[] = [];
      const invoke = () => invokeAction(request, provider).catch((error: unknown) => [errorDiagnostic(error)]);
      const tell = (message: string) => events.write({ progress: { message } });
      session.during(diagnostics, invoke, tell).then((reasons) => {
        events.end({ completed: { diagnostics: [...diagnostics, ...reasons] } });
      });
      return events;
    },
    /** Waits, at the end of this process, until every sent request is answered and the journal is up to date. */
    end: () => session.end(),
    /**
     * Ends the work after Terraform was killed. Nothing new begins, and the answers to sent requests are still written
     * to the journal.
     */
    abandon: () => {
      session.cancel();
      return session.allAnswered();
    },
  };
}
