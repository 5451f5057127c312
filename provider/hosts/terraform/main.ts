import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveRpc } from "../../rpc/rpcServer";
import { removeAtExit } from "../../support/files";
import { exitWithTerraform } from "./exitWithTerraform";
import { createTerraformProvider } from "./methodTable";

/** Terraform sets this variable when it starts a provider. The variable's value is not secret. */
const cookieName = "TF_PLUGIN_MAGIC_COOKIE";
const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

const [coreVersion, protocolVersion] = [1, 6];

async function main(): Promise<void> {
  const { PLUGIN_CLIENT_CERT: client = "", TF_DISABLE_PLUGIN_TLS: disabled = "" } = process.env;
  const onWindows = process.platform === "win32";
  // A test may ask for a connection without encryption. The provider then listens only on a socket that no other user
  // can open.
  const isPlain = client === "" && disabled !== "" && !onWindows;
  if (process.env[cookieName] !== cookie || (client === "" && !isPlain)) {
    console.error("This is a provider for Terraform and OpenTofu. They start it; do not run it yourself.");
    process.exit(1);
  }
  const provider = createTerraformProvider(() => process.exit(0));
  exitWithTerraform(provider.abandon);
  // The name is short, because the address of a socket has at most 107 bytes.
  const name = `plugin${randomBytes(6).toString("base64url")}`;
  const path = join(process.env.PLUGIN_UNIX_SOCKET_DIR || tmpdir(), name);
  const listen = onWindows ? { host: "127.0.0.1", port: 0 } : { path };
  const { port, certificate } = await serveRpc(() => provider.methods, client || undefined, listen);
  if (!onWindows) {
    removeAtExit(path);
  }
  const address = onWindows ? ["tcp", `127.0.0.1:${port}`] : ["unix", path];
  const fields = certificate === undefined ? [] : [certificate.toString("base64").replace(/=+$/, "")];
  writeSync(1, `${[coreVersion, protocolVersion, ...address, "grpc", ...fields].join("|")}\n`);
}

async function showStatus(): Promise<void> {
  const [{ runStatusCommand }, { readTerraformState }] = await Promise.all([
    import("../../status/statusCommand.js"),
    import("./readTerraformState.js"),
  ]);
  await runStatusCommand("terraform-provider-docsplatform", readTerraformState);
}

void (process.argv[2] === "status" ? showStatus : main)();
