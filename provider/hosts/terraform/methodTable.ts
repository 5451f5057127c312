import { schemaResponse } from "./schema";
import type { Service } from "./service";
import { type Diagnostic, empty, type Methods, methods } from "./wire/messages";
import type { Method } from "./wire/rpcServer";

type Name = keyof Methods;

/**
 * Every method, by its path. Most processes are asked for the schema alone: what the other methods need is loaded at the first
 * call of one of them.
 */
export function methodTable(): Map<string, Method> {
  let service: Promise<Service> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ createService }) => createService());
    return service;
  };
  const shutdown: Method = () => {
    // The answer goes out first.
    setImmediate(async () => {
      await (await service)?.end();
      process.exit(0);
    });
    return empty.encode({});
  };
  exitWhenKilled(async () => (await service)?.end());
  const names = Object.keys(methods) as Name[];
  const table = names.map((name): [string, Method] => [`/tfplugin6.Provider/${name}`, methodOf(name, load)]);
  return new Map([...table, ["/plugin.GRPCController/Shutdown", shutdown]]);
}

function methodOf(name: Name, load: () => Promise<Service>): Method {
  const { request, response } = methods[name];
  if (name === "GetProviderSchema") {
    return () => response.encode(schemaResponse());
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

/** How often it is looked whether Terraform is still there, in milliseconds. */
const interval = 500;

/**
 * Ends this process with a Terraform that was killed. A Ctrl-C reaches this process, too, which leaves it to Terraform to say
 * what is to be done.
 */
function exitWhenKilled(end: () => Promise<unknown>): void {
  const parent = process.ppid;
  process.on("SIGINT", () => {});
  setInterval(async () => {
    if (process.ppid !== parent) {
      await end();
      process.exit(1);
    }
  }, interval).unref();
}
