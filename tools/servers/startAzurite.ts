import { ServerProcess } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

/** The name of the account in every Azurite. The account's key is public. */
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** A real server of Azure Blob Storage on loopback. It keeps all blobs in memory. */
export interface Azurite {
  account: string;
  endpoint: string;
  environment: Record<"AZURE_STORAGE_CONNECTION_STRING", string>;
  server: ServerProcess;
}

export async function startAzurite(): Promise<Azurite> {
  const flags = ["--blobPort", "0", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"];
  const { server, port } = await ServerProcess.startOnFreePort(
    process.execPath,
    [await getTool("azurite"), ...flags],
    /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/,
  );
  const endpoint = `http://127.0.0.1:${port}/${account}`;
  const connection = {
    DefaultEndpointsProtocol: "http",
    AccountName: account,
    AccountKey: key,
    BlobEndpoint: endpoint,
  };
  const parts = Object.entries(connection).map(([name, value]) => `${name}=${value}`);
  return { account, endpoint, environment: { AZURE_STORAGE_CONNECTION_STRING: parts.join(";") }, server };
}
