import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ServerProcess } from "../../../tools/processes/serverProcess";
import { getTool } from "../../../tools/toolchain/getTool";
import { authority, trustedServer } from "../certificate";
import { openPort } from "../loopback";

export const user = { name: "robot", password: "pa55:word" };
export const identityToken = "identity-token-of-the-robot";
const [issuer, service] = ["authority of the test", "registry of the test"];

/** A real registry that serves https and demands tokens. A token server gives tokens to one user. */
export interface TokenAuthRegistry {
  port: number;
  tokenServerPort: number;
  /** The requests for tokens in order, each in the form `METHOD user scope`. */
  tokenRequests: string[];
  /** The certificate of the authority that signed both servers' certificates. */
  caFile: string;
  close(): Promise<void>;
}

/** @param options.storage the registry's storage configuration. By default, the registry stores blobs in a folder. */
export async function startTokenAuthRegistry({
  deletes = true,
  authorityName = "",
  storage = {},
} = {}): Promise<TokenAuthRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "token-registry-"));
  const executable = await getTool("registry");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const tokenRequests: string[] = [];
  const tokenServer = https.createServer(trustedServer, async (request, response) => {
    const asked = new URL(request.url ?? "", "https://authority");
    const parameters = request.method === "POST" ? new URLSearchParams(await text(request)) : asked.searchParams;
    const by = userOf(request.headers.authorization, parameters.get("refresh_token"));
    tokenRequests.push(`${request.method} ${by} ${parameters.get("scope")}`);
    const [type, name, actions = ""] = (parameters.get("scope") ?? "").split(":");
    const access = by === user.name ? [{ type, name, actions: actions.split(",") }] : [];
    response.writeHead(by === "nobody" ? 401 : 200, { "content-type": "application/json" });
    response.end(by === "nobody" ? "{}" : JSON.stringify({ token: tokenOf(access, privateKey) }));
  });
  const tokenServerPort = await openPort(tokenServer);
  const realm = `https://${authorityName || `127.0.0.1:${tokenServerPort}`}/token?account=test`;
  const files = { "key.pem": trustedServer.key, "cert.pem": trustedServer.cert, "ca.pem": authority };
  const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" }] };
  const configuration = {
    version: "0.1",
    log: { level: "info", accesslog: { disabled: true } },
    storage: {
      ...(Object.keys(storage).length > 0 ? storage : { filesystem: { rootdirectory: join(folder, "data") } }),
      delete: { enabled: deletes },
    },
    http: {
      addr: "127.0.0.1:0",
      secret: "secret-of-the-test",
      tls: { certificate: join(folder, "cert.pem"), key: join(folder, "key.pem") },
    },
    auth: { token: { realm, service, issuer, jwks: join(folder, "jwks.json") } },
  };
  const written = { ...files, "jwks.json": JSON.stringify(jwks), "config.yml": JSON.stringify(configuration) };
  for (const [name, content] of Object.entries(written)) {
    writeFileSync(join(folder, name), content);
  }
  const { server, port } = await ServerProcess.startOnFreePort(
    executable,
    ["serve", join(folder, "config.yml")],
    /listening on 127\.0\.0\.1:(\d+)/,
  );
  return {
    port,
    tokenServerPort,
    tokenRequests,
    caFile: join(folder, "ca.pem"),
    async close() {
      await server.close();
      tokenServer.close();
      tokenServer.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function userOf(authorization: string | undefined, refreshToken: string | null): string {
  if (refreshToken !== null) {
    return refreshToken === identityToken ? user.name : "nobody";
  }
  if (authorization === undefined) {
    return "anonymous";
  }
  const basic = Buffer.from(`${user.name}:${user.password}`).toString("base64");
  return authorization === `Basic ${basic}` ? user.name : "nobody";
}

function tokenOf(access: object[], key: Parameters<typeof sign>[2]): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, aud: service, sub: user.name, iat: now, nbf: now - 10, exp: now + 300, access };
  const jti = createHash("sha256").update(JSON.stringify(claims)).digest("hex");
  const encoded = [
    { typ: "JWT", alg: "ES256", kid: "one" },
    { ...claims, jti },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = sign("sha256", Buffer.from(encoded.join(".")), { key: key as never, dsaEncoding: "ieee-p1363" });
  return [...encoded, signature.toString("base64url")].join(".");
}
