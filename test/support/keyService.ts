import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const stackKey = Buffer.alloc(32, "key");
const encryptedKey = "vault:v1:test";

export const stackSettings = {
  secretsprovider: "hashivault://test",
  encryptedkey: Buffer.from(encryptedKey).toString("base64"),
};

let environment: Promise<NodeJS.ProcessEnv> | undefined;

/**
 * Starts a server that answers like Vault when a command asks for a stack's key. With a passphrase, each command would
 * need a fifth of a second of CPU time to derive the key.
 * @returns the environment variables that the commands need.
 */
export function keyService(): Promise<NodeJS.ProcessEnv> {
  environment ??= start();
  return environment;
}

async function start(): Promise<NodeJS.ProcessEnv> {
  const answer = JSON.stringify({ data: { plaintext: stackKey.toString("base64") } });
  const server = createServer((_, response) => response.end(answer))
    .listen(0, "127.0.0.1")
    .unref();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "test" };
}
