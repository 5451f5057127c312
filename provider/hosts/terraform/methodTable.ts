import { makeMethodTable } from "../../rpc/methods";
import type { MethodTable, RpcMethodHandler } from "../../rpc/rpcServer";
import { loadSchemaResponse } from "./schemaResponse";
import type { TerraformService } from "./service";
import { type Diagnostic, emptyMessage, terraformMethods } from "./wire/messages";

const name = "tfplugin6.Provider";

export interface TerraformProvider {
  methods: MethodTable;
  abandon(): Promise<void>;
}

/** Most processes answer only the request for the schema, so the rest of the code is loaded later. */
export function createTerraformProvider(ended: () => void): TerraformProvider {
  let service: Promise<TerraformService> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ createTerraformService: createService }) => createService());
    return service;
  };
  const methods = makeMethodTable(name, terraformMethods, async (method, request) => {
    const more: Diagnostic[] = [];
    const answer: { diagnostics?: Diagnostic[] } = await (await load()).call(method, request, more);
    return more.length === 0 ? answer : { ...answer, diagnostics: [...(answer.diagnostics ?? []), ...more] };
  });
  const { request, response } = terraformMethods.InvokeAction;
  const invokeAction: RpcMethodHandler = async function* (message) {
    for await (const event of (await load()).invoke(request.decode(message))) {
      yield response.encode(event);
    }
  };
  const shutdown: RpcMethodHandler = () => {
    setImmediate(async () => {
      await (await service)?.end();
      ended();
    });
    return emptyMessage.encode({});
  };
  const special: [string, RpcMethodHandler][] = [
    [`/${name}/GetProviderSchema`, loadSchemaResponse],
    [`/${name}/InvokeAction`, invokeAction],
    ["/plugin.GRPCController/Shutdown", shutdown],
  ];
  return { methods: new Map([...methods, ...special]), abandon: async () => (await service)?.abandon() };
}
