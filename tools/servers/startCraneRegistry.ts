import { mkdirSync } from "node:fs";
import { ServerProcess, unusedPort } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

/** A real OCI registry on loopback, which keeps blobs in a folder. */
export interface CraneRegistry {
  host: string;
  /** The executable, which is also a client of registries. */
  crane: string;
  server: ServerProcess;
  close(): Promise<void>;
}

export async function startCraneRegistry(folder: string): Promise<CraneRegistry> {
  mkdirSync(folder, { recursive: true });
  const host = `127.0.0.1:${await unusedPort()}`;
  const crane = await getTool("crane");
  const ready = async () => (await fetch(`http://${host}/v2/`)).ok;
  const server = await ServerProcess.start(crane, ["registry", "serve", "--disk", folder, "--address", host], ready);
  return { host, crane, server, close: () => server.close() };
}
