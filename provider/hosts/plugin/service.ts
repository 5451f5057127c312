import { exitWithEngine } from "../../pulumiEngine/exitWithEngine";
import { type PulumiSession, processSession } from "../../pulumiEngine/pulumiSession";
import { resources } from "../../resources/index";
import { mapValues } from "../../support/objects";
import { setWords, words } from "../../support/words";
import { invoke } from "./invoke";
import type { PluginMethods, PluginRequest, PluginResponse, PulumiEngineFeatures } from "./messages";
import { PluginProviderSettings } from "./pluginProviderSettings";
import { checkConfig, decodeProviderInputs, diffConfig } from "./providerSettings";
import { PluginResourceCalls } from "./resourceCalls";
import { asRpcFailure, requireKnown } from "./rpcFailures";

export type StartupMethod = "Handshake" | "GetPluginInfo";

type Answers = {
  [Name in Exclude<keyof PluginMethods, StartupMethod>]: (
    request: PluginRequest<Name>,
    engine: PulumiEngineFeatures,
  ) => PluginResponse<Name> | Promise<PluginResponse<Name>>;
};

export type PluginService = ReturnType<typeof createPluginService>;

export function startPluginService(): PluginService {
  setWords({ ...words, host: "plugin" });
  exitWithEngine(processSession);
  return createPluginService(processSession);
}

export function createPluginService(session: PulumiSession) {
  const provider = new PluginProviderSettings(session);
  const calls = mapValues(resources, (_, resource) => new PluginResourceCalls(resource, provider));
  const callsOf = ({ urn = "" }: { urn?: string | undefined }) => {
    const type = /^urn:pulumi:[^:]*::[^:]*::(?:.*\$)?([^$]+?)::/.exec(urn)?.[1] ?? urn;
    return requireKnown("resource", calls, type);
  };
  const answers: Answers = {
    GetSchema: () => ({ schema: JSON.stringify(require("#schema")) }),
    Cancel: () => {
      session.cancel();
      return {};
    },
    CheckConfig: (message) => {
      provider.noteChecked(decodeProviderInputs(message.news, message.urn));
      return checkConfig(message);
    },
    DiffConfig: diffConfig,
    Configure: ({ args, urn }) => {
      provider.configure(decodeProviderInputs(args, urn));
      // Without `acceptResources`, a resource that is given as an input arrives as its id.
      return { acceptSecrets: true, supportsPreview: true };
    },
    Invoke: (message, engine) => invoke(message, provider, engine),
    Check: (message) => callsOf(message).check(message),
    Diff: (message) => callsOf(message).diff(message),
    Create: (message) => callsOf(message).create(message),
    Read: (message) => callsOf(message).read(message),
    Update: (message) => callsOf(message).update(message),
    Delete: (message) => callsOf(message).delete(message),
  };
  return {
    /** @throws RpcFailure if the call fails. */
    async call<Name extends keyof Answers>(
      name: Name,
      request: PluginRequest<Name>,
      engine: PulumiEngineFeatures,
    ): Promise<PluginResponse<Name>> {
      try {
        return await answers[name](request, engine);
      } catch (error) {
        throw asRpcFailure(error);
      } finally {
        await session.allShown();
      }
    },
  };
}
