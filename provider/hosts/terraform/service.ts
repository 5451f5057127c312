import { setProcessCaFile } from "../../network/authorities";
import { nameHost } from "../../network/userAgent";
import { resources } from "../../resources/index";
import { ConfigurationError } from "../../support/errors";
import { setWords } from "../../support/words";
import { ActionCalls } from "./actionCalls";
import { errorDiagnostic } from "./diagnostics";
import { FunctionCalls } from "./functionCalls";
import { configFailures, type TerraformSettings, terraformSettingsOf } from "./providerConfig";
import { TerraformResourceCalls } from "./resourceCalls";
import { functionSchemas, providerSchema } from "./schema";
import { TerraformSession } from "./terraformSession";
import { readBlock } from "./values";
import type { Diagnostic, TerraformMethods, TerraformRequest, TerraformResponse } from "./wire/messages";
import { terraformWords, typeName } from "./words";

type Answers = {
  [Name in keyof TerraformMethods]?: (
    request: TerraformRequest<Name>,
  ) => TerraformResponse<Name> | Promise<TerraformResponse<Name>>;
};

/** Serves all methods except the schema methods. */
export interface TerraformService {
  /** @param diagnostics receives the warnings of this call, and its error. */
  call(name: keyof TerraformMethods, request: object, diagnostics: Diagnostic[]): Promise<object>;
  /** Invokes an action, and yields its progress. The last event says how the action ended. */
  invoke(request: TerraformRequest<"InvokeAction">): AsyncIterable<TerraformResponse<"InvokeAction">>;
  /** Waits, before this process ends, until what was sent is answered and the journal is up to date. */
  end(): Promise<void>;
  /**
   * Ends the work when nobody waits for an answer: nothing new begins, and the answers to what was sent are written to
   * the journal.
   */
  abandon(): Promise<void>;
}

export function createTerraformService(session = new TerraformSession()): TerraformService {
  const { answers, actions } = createAnswers(session);
  return {
    // The method table decodes the request of a method, and encodes the answer.
    call: (name, request, diagnostics) =>
      session.during(diagnostics, async () => {
        try {
          return await (answers[name] as (request: object) => object | Promise<object>)(request);
        } catch (error) {
          diagnostics.push(errorDiagnostic(error));
          return {};
        }
      }),
    invoke: (request) =>
      streamed(async (tell) => {
        const diagnostics: Diagnostic[] = [];
        const invoke = () => actions.invoke(request).catch((error: unknown) => [errorDiagnostic(error)]);
        diagnostics.push(
          ...(await session.during(diagnostics, invoke, (text) => tell({ progress: { message: text } }))),
        );
        tell({ completed: { diagnostics } });
      }),
    end: () => session.end(),
    abandon: async () => {
      session.cancel();
      await Promise.all([session.allAnswered(), session.trace.end()]);
    },
  };
}

/** Returns the methods of the protocol, each with its types, and the calls for actions. */
function createAnswers(session: TerraformSession): { answers: Answers; actions: ActionCalls } {
  setWords(terraformWords);
  nameHost("terraform");
  let settings: TerraformSettings | undefined;
  const configured = () => {
    settings ??= terraformSettingsOf({}, session.workplace.environment);
    return settings;
  };
  const actions = new ActionCalls(configured, session);
  const functionCalls = new FunctionCalls(configured, session);
  const calls = Object.fromEntries(
    Object.entries(providerSchema.resources).map(([name, schema]) => [
      name,
      new TerraformResourceCalls(definitionOf(name), schema, configured, session),
    ]),
  );
  const resourceOf = ({ typeName = "" }: { typeName?: string | undefined }): TerraformResourceCalls => {
    const found = calls[typeName];
    if (found === undefined) {
      throw new ConfigurationError([`there is no resource ${typeName}`], "use one that this provider has.");
    }
    return found;
  };

  const answers: Answers = {
    GetFunctions: () => ({ functions: functionSchemas() }),
    ValidateProviderConfig: ({ config }) => ({ diagnostics: configFailures(readBlock(config) ?? {}) }),
    ConfigureProvider: ({ config, terraformVersion, clientCapabilities }) => {
      session.applies = clientCapabilities?.deferralAllowed ?? false;
      settings = terraformSettingsOf(readBlock(config) ?? {}, session.workplace.environment);
      nameHost("terraform", terraformVersion && `terraform ${terraformVersion}`);
      setProcessCaFile(settings.caFile());
      return {};
    },
    ValidateResourceConfig: (request) => resourceOf(request).validate(request),
    UpgradeResourceState: (request) => resourceOf(request).upgrade(request),
    ReadResource: (request) => resourceOf(request).read(request),
    PlanResourceChange: (request) => resourceOf(request).plan(request),
    ApplyResourceChange: (request) => resourceOf(request).apply(request),
    ImportResourceState: (request) => resourceOf(request).import(request),
    ValidateDataResourceConfig: (request) => functionCalls.validateDataSource(request),
    ReadDataSource: (request) => functionCalls.readDataSource(request),
    ValidateEphemeralResourceConfig: (request) => functionCalls.validateEphemeral(request),
    OpenEphemeralResource: (request) => functionCalls.openEphemeral(request),
    CloseEphemeralResource: () => ({}),
    CallFunction: (request) => functionCalls.callFunction(request),
    ValidateActionConfig: (request) => actions.validate(request),
    PlanAction: (request) => actions.plan(request),
    StopProvider: () => {
      session.cancel();
      return {};
    },
  };
  return { answers, actions };
}

/** Yields each message of `work` as soon as it comes. */
async function* streamed<T>(work: (tell: (item: T) => void) => Promise<void>): AsyncIterable<T> {
  const told: T[] = [];
  let wake = () => {};
  let isOver = false;
  const worked = work((item) => {
    told.push(item);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  while (!isOver || told.length > 0) {
    const [item] = told.splice(0, 1);
    if (item !== undefined) {
      yield item;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  await worked;
}

function definitionOf(token: string) {
  const found = Object.values(resources).find(({ name }) => typeName(name) === token);
  if (found === undefined) {
    throw new Error(`the schema has ${token}, but no definition exists for it`);
  }
  return found;
}
