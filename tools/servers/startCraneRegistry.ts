import { mkdirSync } from "node:fs";
import { ServerProcess } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

/** A real OCI registry on loopback. It keeps blobs in a folder. */
export interface CraneRegistry {
  host: string;
  /** The path of the registry's executable, which is also a client for registries. */
  crane: string;
  server: ServerProcess;
  close(): Promise<void>;
}

export async function startCraneRegistry(folder: string): Promise<CraneRegistry> {
  mkdirSync(folder, { recursive: true });
  const crane = await getTool("crane");
  const args = ["registry", "serve", "--disk", folder, "--address", "127.0.0.1:0"];
  const { server, port } = await ServerProcess.startOnFreePort(crane, args, /serving on port (\d+)/);
  const host = `127.0.0.1:${port}`;
  return { host, crane, server, close: () => server.close() };
}
