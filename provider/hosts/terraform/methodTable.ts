import type { Method, MethodTable } from "../../rpc/rpcServer";
import { isSchemaMethod, schemaAnswer } from "./schemaAnswers";
import type { Service } from "./service";
import { type Diagnostic, empty, type Methods, methods } from "./wire/messages";

type Name = keyof Methods;

/** The methods that serve one connection to the provider, and their end. */
export interface Provider {
  methods: MethodTable;
  /** Ends what a Terraform that was killed has left under way. */
  abandon(): Promise<void>;
}

/**
 * Every method, by its path. Most processes are asked for the schema alone: what the other methods need is loaded at the first
 * call of one of them.
 * @param ended is called once Terraform has shut the provider down, and what was left to do is done.
 */
export function createProvider(ended: () => void): Provider {
  let service: Promise<Service> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ createService }) => createService());
    return service;
  };
  const shutdown: Method = () => {
    // The answer goes out first.
    setImmediate(async () => {
      await (await service)?.end();
      ended();
    });
    return empty.encode({});
  };
  const names = Object.keys(methods) as Name[];
  const table = names.map((name): [string, Method] => [`/tfplugin6.Provider/${name}`, methodOf(name, load)]);
  return {
    methods: new Map([...table, ["/plugin.GRPCController/Shutdown", shutdown]]),
    abandon: async () => (await service)?.abandon(),
  };
}

function methodOf(name: Name, load: () => Promise<Service>): Method {
  const { request, response } = methods[name];
  if (isSchemaMethod(name)) {
    return () => schemaAnswer(name);
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
