import { makeMethodTable } from "../../rpc/methods";
import type { MethodTable } from "../../rpc/rpcServer";
import { readPackageVersion } from "../../support/packageFacts";
import { type PluginRequest, type PulumiEngineFeatures, pluginMethods } from "./messages";
import type { PluginService } from "./service";

export function makePluginMethodTable(load: () => Promise<PluginService>, engine: PulumiEngineFeatures): MethodTable {
  return makeMethodTable("pulumirpc.ResourceProvider", pluginMethods, async (name, request) => {
    if (name === "Handshake" || name === "GetPluginInfo") {
      setImmediate(load);
      if (name === "GetPluginInfo") {
        return { version: readPackageVersion() };
      }
      const { invokeWithPreview = false, acceptsOutputsInInvoke = false }: PluginRequest<"Handshake"> = request;
      engine.takesOutputs = invokeWithPreview && acceptsOutputsInInvoke;
      return { acceptSecrets: true, acceptsOutputsInInvoke: engine.takesOutputs };
    }
    return (await load()).call(name, request, engine);
  });
}
