import { serveRpc } from "../../rpc/rpcServer";
import { methodTable } from "./methodTable";
import type { PluginService } from "./service";

/**
 * The time without a call after which the rest is loaded, in milliseconds. The rest includes the code that ends this
 * process with its engine.
 */
const loadedAfter = 500;

/** Serves the provider on a free port of this machine. The first line of the output tells the engine the port. */
async function main(): Promise<void> {
  let service: Promise<PluginService> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ processService }) => processService());
    return service;
  };
  const engine = { takesOutputs: false };
  const { port } = await serveRpc(() => methodTable(load, engine), undefined, { host: "127.0.0.1", port: 0 });
  console.log(port);
  setTimeout(load, loadedAfter).unref();
}

void main();
