import type { Method, MethodTable } from "../../rpc/rpcServer";
import { packageVersion } from "../../support/packageFacts";
import { type EngineAbilities, type PluginMethods, pluginMethods } from "./messages";
import type { LightMethod, PluginService } from "./service";

type Name = keyof PluginMethods;

/**
 * Returns the methods that the engine may call. The first calls ask for facts about the plugin, and need little code.
 * The process loads the rest of its code while the engine reads the answers.
 * @param load loads the service for the remaining methods, once.
 */
export function methodTable(load: () => Promise<PluginService>, engine: EngineAbilities): MethodTable {
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
      return (message) => {
        setImmediate(load);
        return light[name](message);
      };
    }
    const { request, response } = pluginMethods[name];
    return async (message) => {
      const service = await load();
      const answer = await service.call(name, request.decode(message), engine);
      return response.encode(answer);
    };
  };
  const names = Object.keys(pluginMethods) as Name[];
  return new Map(names.map((name) => [`/pulumirpc.ResourceProvider/${name}`, methodOf(name)]));
}
