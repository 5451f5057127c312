import type { RawValues } from "../../definitions/values";
import type { Properties } from "../../engine/secrets";
import { nameHost } from "../../network/userAgent";
import { allShown } from "../../pulumiEngine/engineLog";
import { exitWithEngine } from "../../pulumiEngine/exitWithEngine";
import { type PulumiSession, processSession } from "../../pulumiEngine/session";
import { resources } from "../../resources/index";
import { checkConfig, diffConfig, pluginSettingsOf } from "./configuration";
import { invoke } from "./invoke";
import type { PluginMethods, PluginRequest, PluginResponse } from "./messages";
import { readProperties, writeProperties } from "./properties";
import { type EngineConnection, type ProviderInstance, ProviderInstances } from "./providerInstances";
import { PluginResourceCalls, type ResourceRequest } from "./resourceCalls";
import { checkResponse } from "./responses";
import { asRpcFailure, badRequest } from "./rpcError";

/** The methods that are answered without loading this file. */
export type LightMethod = "Handshake" | "GetPluginInfo";

type Answers = {
  [Name in Exclude<keyof PluginMethods, LightMethod>]: (
    request: PluginRequest<Name>,
    connection: EngineConnection,
  ) => PluginResponse<Name> | Promise<PluginResponse<Name>>;
};

/** Serves every call of an engine except the light methods. */
export interface PluginService {
  /**
   * @param parent the engine's span, if the engine is traced.
   * @throws RpcFailure
   */
  call<Name extends keyof Answers>(
    name: Name,
    request: PluginRequest<Name>,
    connection: EngineConnection,
    parent?: string,
  ): Promise<PluginResponse<Name>>;
}

/** Returns the service of this process. The process ends when its engine is gone. */
export function processService(): PluginService {
  nameHost("plugin");
  exitWithEngine(processSession);
  return createPluginService(processSession);
}

export function createPluginService(session: PulumiSession): PluginService {
  const answers = createAnswers(session);
  return {
    async call(name, request, connection, parent) {
      try {
        return await session.trace.below(parent, async () => answers[name](request, connection));
      } catch (error) {
        throw asRpcFailure(error);
      } finally {
        await allShown();
      }
    },
  };
}

/** Returns the methods of the protocol that this provider has. Any other method is answered as not implemented. */
function createAnswers(session: PulumiSession): Answers {
  const providers = new ProviderInstances(session);
  const calls = Object.fromEntries(
    Object.entries(resources).map(([name, definition]) => [name, new PluginResourceCalls(definition, session)]),
  );
  const read = (message: Message, connection: EngineConnection) => readRequest(message, providers.of(connection));
  const resourceOf = (message: Message) => callsFor(message, calls);

  return {
    GetSchema: () => ({ schema: JSON.stringify(require("#schema")) }),
    Attach: ({ address = "" }, connection) => {
      providers.attach(connection, address);
      return {};
    },
    Cancel: (_, connection) => {
      providers.of(connection).cancel();
      return {};
    },
    CheckConfig: checkConfig,
    DiffConfig: diffConfig,
    Configure: (message, connection) => {
      providers.of(connection).configure(pluginSettingsOf(message));
      // Without `acceptResources`, a resource that is given as an input arrives as its id.
      return { acceptSecrets: true, supportsPreview: true };
    },
    Invoke: (message, connection) => invoke(message, providers.of(connection), session, connection),
    Check: (message, connection) => {
      const { inputs, failures } = resourceOf(message).check(read(message, connection));
      return checkResponse(inputs, failures);
    },
    Diff: (message, connection) => resourceOf(message).diff(read(message, connection)),
    Create: async (message, connection) => {
      const request = { ...read(message, connection), news: readProperties(message.properties) };
      const { id, state } = await resourceOf(message).create(request);
      return { id, properties: written(state) };
    },
    Read: async (message, connection) => {
      const [olds, oldInputs] = [readProperties(message.properties), readProperties(message.inputs)];
      const found = await resourceOf(message).read({ ...read(message, connection), olds, oldInputs });
      // An answer without an id says that the object no longer exists.
      if (found === undefined) {
        return {};
      }
      const inputs = found.inputs && written(found.inputs);
      return { id: message.id, properties: written(found.state), inputs };
    },
    Update: async (message, connection) => {
      const state = await resourceOf(message).update(read(message, connection));
      return { properties: written(state) };
    },
    Delete: async (message, connection) => {
      await resourceOf(message).delete({ ...read(message, connection), olds: readProperties(message.properties) });
      return {};
    },
  };
}

/** The fields that the requests for a resource have in common. No request has all of them. */
interface Message {
  urn?: string | undefined;
  id?: string | undefined;
  olds?: RawValues | undefined;
  oldInputs?: RawValues | undefined;
  news?: RawValues | undefined;
  preview?: boolean | undefined;
  timeout?: number | undefined;
}

function readRequest(message: Message, provider: ProviderInstance): ResourceRequest {
  const { urn = "", id = "", olds, oldInputs, news, preview = false, timeout = 0 } = message;
  return {
    urn,
    id,
    provider,
    olds: readProperties(olds),
    oldInputs: readProperties(oldInputs),
    news: readProperties(news),
    preview,
    timeLimit: timeout === 0 ? undefined : timeout * 1_000,
  };
}

function written({ values, secrets }: Properties): RawValues {
  return writeProperties(values, secrets);
}

function callsFor({ urn = "" }: Message, calls: Readonly<Record<string, PluginResourceCalls>>): PluginResourceCalls {
  const type = /^urn:pulumi:[^:]*::[^:]*::(?:.*\$)?([^$]+?)::/.exec(urn)?.[1] ?? urn;
  const found = calls[type.replace(/^docs-platform:index:/, "")];
  if (found === undefined) {
    throw badRequest(`there is no resource ${type}; the resources are ${Object.keys(calls).join(", ")}`);
  }
  return found;
}
