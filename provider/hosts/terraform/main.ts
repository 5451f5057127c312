import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { methodTable } from "./methodTable";
import { makeCertificate } from "./wire/certificate";
import { serveRpc } from "./wire/rpcServer";

/** By this pair Terraform tells a provider that it is started as one. It is no secret. */
const cookieName = "TF_PLUGIN_MAGIC_COOKIE";
const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/** Of the handshake, and of the protocol. */
const [coreVersion, protocolVersion] = [1, 6];

/** Serves the provider, and tells Terraform where: the first line of its output. */
async function main(): Promise<void> {
  const { PLUGIN_CLIENT_CERT: client = "", PLUGIN_UNIX_SOCKET_DIR: folder = "" } = process.env;
  if (process.env[cookieName] !== cookie || client === "") {
    console.error("This is a provider of Terraform and OpenTofu, and no program by itself: they start it.");
    process.exit(1);
  }
  const { key, cert, der } = makeCertificate();
  const tls = { key, cert, ca: client, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.2" } as const;
  const methods = methodTable();
  const onWindows = process.platform === "win32";
  const path = join(folder || tmpdir(), `plugin${randomBytes(8).toString("hex")}`);
  const { port } = await serveRpc(methods, tls, onWindows ? { host: "127.0.0.1", port: 0 } : { path });
  const address = onWindows ? `tcp|127.0.0.1:${port}` : `unix|${path}`;
  const certificate = der.toString("base64").replace(/=+$/, "");
  process.stdout.write(`${coreVersion}|${protocolVersion}|${address}|grpc|${certificate}\n`);
}

void main();
