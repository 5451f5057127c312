import type { Method, MethodTable } from "../../rpc/rpcServer";
import { packageVersion } from "../../support/packageFacts";
import { type Methods, methods } from "./messages";
import type { Connection, EngineAbilities } from "./providerInstances";
import type { LightMethod, Service } from "./service";

type Name = keyof Methods;

/**
 * Returns the methods that serve one connection, by their paths. An engine first asks about the plugin: these requests
 * are answered before the rest is loaded, and the rest is loaded while the engine reads the answer.
 * @param load loads the service for the other requests, once.
 * @param engine the abilities of the engine, shared by all connections of this process.
 */
export function methodTable(load: () => Promise<Service>, engine: EngineAbilities): MethodTable {
  const connection: Connection = { engine };
  const light: Record<LightMethod, Method> = {
    Handshake: (message) => {
      const { invokeWithPreview = false, acceptsOutputsInInvoke = false } = methods.Handshake.request.decode(message);
      engine.takesOutputs = invokeWithPreview && acceptsOutputsInInvoke;
      const answer = { acceptSecrets: true, acceptsOutputsInInvoke: engine.takesOutputs };
      return methods.Handshake.response.encode(answer);
    },
    GetPluginInfo: () => methods.GetPluginInfo.response.encode({ version: packageVersion() }),
  };
  const methodOf = (name: Name): Method => {
    if (name === "Handshake" || name === "GetPluginInfo") {
      return (message, headers) => {
        setImmediate(load);
        return light[name](message, headers);
      };
    }
    const { request, response } = methods[name];
    return async (message, { traceparent }) => {
      const service = await load();
      const answer = await service.call(name, request.decode(message), connection, traceparent?.toString());
      return response.encode(answer);
    };
  };
  const names = Object.keys(methods) as Name[];
  return new Map(names.map((name) => [`/pulumirpc.ResourceProvider/${name}`, methodOf(name)]));
}
