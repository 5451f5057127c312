import type { Method, MethodTable } from "../../rpc/rpcServer";
import { packageVersion } from "../../support/packageFacts";
import { type PluginMethods, pluginMethods } from "./messages";
import type { EngineAbilities, EngineConnection } from "./providerInstances";
import type { LightMethod, PluginService } from "./service";

type Name = keyof PluginMethods;

/**
 * Returns the methods that serve one connection, by their paths. An engine first asks about the plugin: these requests
 * are answered before the rest is loaded, and the rest is loaded while the engine reads the answer.
 * @param load loads the service for the other requests, once.
 * @param engine the abilities of the engine, shared by all connections of this process.
 */
export function methodTable(load: () => Promise<PluginService>, engine: EngineAbilities): MethodTable {
  const connection: EngineConnection = { engine };
  const light: Record<LightMethod, Method> = {
    Handshake: (message) => {
      const { invokeWithPreview = false, acceptsOutputsInInvoke = false } =
        pluginMethods.Handshake.request.decode(message);
      engine.takesOutputs = invokeWithPreview && acceptsOutputsInInvoke;
      const answer = { acceptSecrets: true, acceptsOutputsInInvoke: engine.takesOutputs };
      return pluginMethods.Handshake.response.encode(answer);
    },
    GetPluginInfo: () => pluginMethods.GetPluginInfo.response.encode({ version: packageVersion() }),
  };
  const methodOf = (name: Name): Method => {
    if (name === "Handshake" || name === "GetPluginInfo") {
      return (message, headers) => {
        setImmediate(load);
        return light[name](message, headers);
      };
    }
    const { request, response } = pluginMethods[name];
    return async (message, { traceparent }) => {
      const service = await load();
      const answer = await service.call(name, request.decode(message), connection, traceparent?.toString());
      return response.encode(answer);
    };
  };
  const names = Object.keys(pluginMethods) as Name[];
  return new Map(names.map((name) => [`/pulumirpc.ResourceProvider/${name}`, methodOf(name)]));
}
