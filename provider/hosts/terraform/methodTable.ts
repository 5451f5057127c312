import { errorDiagnostic } from "./diagnostics";
import { exitWithTerraform } from "./exitWithTerraform";
import { schemaResponse } from "./schema";
import type { createService } from "./service";
import { TerraformSession } from "./terraformSession";
import { type Diagnostic, empty, type Methods, methods } from "./wire/messages";
import type { Method } from "./wire/rpcServer";

type Name = keyof Methods;

/** Every method, by its path. What more than the schema needs is loaded at the first call of it. */
export function methodTable(): Map<string, Method> {
  const session = new TerraformSession();
  let service: ReturnType<typeof createService> | undefined;
  const load = async () => {
    service ??= (await import("./service.js")).createService(session);
    return service;
  };
  const { leave } = exitWithTerraform(session);
  const shutdown: Method = () => {
    leave();
    return empty.encode({});
  };
  const table = new Map([["/plugin.GRPCController/Shutdown", shutdown]]);
  for (const name of Object.keys(methods) as Name[]) {
    const { request, response } = methods[name];
    table.set(`/tfplugin6.Provider/${name}`, async (message) => {
      const diagnostics: Diagnostic[] = [];
      const answer = await session.during(diagnostics, async () => {
        try {
          return name === "GetProviderSchema"
            ? schemaResponse()
            : await callOf(await load(), name)(request.decode(message));
        } catch (error) {
          diagnostics.push(errorDiagnostic(error));
          return {};
        }
      });
      return response.encode(withDiagnostics(answer, diagnostics));
    });
  }
  return table;
}

/** One method, whatever it takes and gives: the table has decoded the one, and encodes the other. */
function callOf(service: ReturnType<typeof createService>, name: Name): (request: object) => object | Promise<object> {
  return service[name] as (request: object) => object | Promise<object>;
}

function withDiagnostics(answer: object, more: readonly Diagnostic[]): object {
  const told = "diagnostics" in answer && Array.isArray(answer.diagnostics) ? answer.diagnostics : [];
  return more.length === 0 ? answer : { ...answer, diagnostics: [...told, ...more] };
}
