import { serveRpc } from "../../rpc/rpcServer";
import { methodTable } from "./methodTable";
import type { Service } from "./service";

/** Without a call for this time the rest is loaded all the same, as what ends this process with its engine; milliseconds. */
const loadedAfter = 500;

/** Serves the provider on a free port of this machine, and tells the engine the port: the first line of its output. */
async function main(): Promise<void> {
  let service: Promise<Service> | undefined;
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
