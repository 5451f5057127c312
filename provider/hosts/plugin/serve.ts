import { serveRpc } from "../../rpc/rpcServer";
import { requireSocketTables } from "../../support/socketUsers";
import { makePluginMethodTable } from "./methodTable";
import type { PluginService } from "./service";

/**
 * In milliseconds. After this time, the process loads the rest of its code even without a call, because that code ends
 * the process when the engine has ended.
 */
const loadedAfter = 500;

async function main(): Promise<void> {
  requireSocketTables();
  let service: Promise<PluginService> | undefined;
  const load = () => {
    service ??= import("./service.js").then(({ startPluginService }) => startPluginService());
    return service;
  };
  const methods = makePluginMethodTable(load, { takesOutputs: false });
  const { port } = await serveRpc(() => methods, undefined, { host: "127.0.0.1", port: 0 });
  console.log(port);
  setTimeout(load, loadedAfter).unref();
}

/** Runs the command `pulumi-resource-docs-platform status`. The engine never passes the argument `status`. */
async function showStatus(): Promise<void> {
  const [{ runStatusCommand }, { readPulumiState }] = await Promise.all([
    import("../../status/statusCommand.js"),
    import("../../pulumiEngine/readPulumiState.js"),
  ]);
  await runStatusCommand("pulumi-resource-docs-platform", readPulumiState);
}

const run = process.argv[2] === "status" ? showStatus : main;
run().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
