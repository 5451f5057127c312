import type { Method, MethodTable } from "../../rpc/rpcServer";
import { schemaAnswer } from "./schemaAnswer";
import type { TerraformService } from "./service";
import { type Diagnostic, emptyMessage, type TerraformMethods, terraformMethods } from "./wire/messages";

type Name = keyof TerraformMethods;

export interface Provider {
  methods: MethodTable;
  abandon(): Promise<void>;
}

/**
 * Returns the methods that Terraform may call. Most processes answer only the request for the schema, so the code of
 * all other methods is loaded at the first call of one of them.
 * @param ended is called after Terraform has shut the provider down and the remaining work is done.
 */
export function createProvider(ended: () => void): Provider {
  let service: Promise<TerraformService> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ createTerraformService: createService }) => createService());
    return service;
  };
  const shutdown: Method = () => {
    setImmediate(async () => {
      await (await service)?.end();
      ended();
    });
    return emptyMessage.encode({});
  };
  const names = Object.keys(terraformMethods) as Name[];
  const table = names.map((name): [string, Method] => [`/tfplugin6.Provider/${name}`, methodOf(name, load)]);
  return {
    methods: new Map([...table, ["/plugin.GRPCController/Shutdown", shutdown]]),
    abandon: async () => (await service)?.abandon(),
  };
}

function methodOf(name: Name, load: () => Promise<TerraformService>): Method {
  const { request, response } = terraformMethods[name];
  if (name === "GetProviderSchema") {
    return schemaAnswer;
  }
  if (name === "InvokeAction") {
    return async function* (message) {
      for await (const event of (await load()).invoke(request.decode(message))) {
        yield response.encode(event);
      }
    };
  }
  return async (message) => {
    const diagnostics: Diagnostic[] = [];
    const service = await load();
    const answer = await service.call(name, request.decode(message), diagnostics);
    return response.encode(withDiagnostics(answer, diagnostics));
  };
}

function withDiagnostics(answer: object, more: readonly Diagnostic[]): object {
  const told = "diagnostics" in answer && Array.isArray(answer.diagnostics) ? answer.diagnostics : [];
  return more.length === 0 ? answer : { ...answer, diagnostics: [...told, ...more] };
}
