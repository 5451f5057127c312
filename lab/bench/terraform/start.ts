import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { makeCertificate } from "../../../provider/hosts/terraform/wire/certificate";
import { nodeBinary } from "../../../tools/release/plugins/nodeBinary";
import { ownTarget } from "../../../tools/release/plugins/target";
import { unpackRelease } from "./plans";

/**
 * The CPU time of the process that Terraform asks for the schema, as users install it, and of its Node.js alone with
 * the modules that no such process can do without, in milliseconds. Each is the minimum of runs that take turns.
 */
export async function startRatio(rounds: number): Promise<{ provider: number; node: number; ratio: number }> {
  const folder = mkdtempSync(join(tmpdir(), "bench-terraform-"));
  try {
    const executable = await unpackRelease(folder);
    const { executable: bare } = await nodeBinary(ownTarget());
    const times = { provider: Number.POSITIVE_INFINITY, node: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round++) {
      times.provider = Math.min(times.provider, await schemaProcess(executable));
      times.node = Math.min(times.node, await nodeProcess(bare));
    }
    return { ...times, ratio: times.provider / times.node };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function schemaProcess(executable: string): Promise<number> {
  const client = makeCertificate();
  const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
  const env = { ...process.env, TF_PLUGIN_MAGIC_COOKIE: cookie, PLUGIN_CLIENT_CERT: client.cert };
  const child = spawn(executable, [], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const [, , , path = "", , certificate = ""] = String(line).trim().split("|");
  const lines =
    Buffer.from(certificate, "base64")
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  const ca = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
  const socket = connect({
    path,
    servername: "localhost",
    ca,
    key: client.key,
    cert: client.cert,
    ALPNProtocols: ["h2"],
  });
  const session = connectHttp2("https://localhost", { createConnection: () => socket });
  const request = session.request({ ":method": "POST", ":path": "/tfplugin6.Provider/GetProviderSchema" });
  request.end(Buffer.alloc(5)).resume();
  await once(request, "end");
  const time = cpuOf(child.pid);
  session.destroy();
  child.kill("SIGKILL");
  return time;
}

async function nodeProcess(node: string): Promise<number> {
  const modules = "require('node:http2'); require('node:crypto')";
  const program = `${modules}; process.stdout.write('.'); setInterval(() => {}, 1000)`;
  const child = spawn(node, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const time = cpuOf(child.pid);
  child.kill("SIGKILL");
  return time;
}

/** The CPU time of all threads, which Linux counts in nanoseconds. */
function cpuOf(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return times.reduce((sum, time) => sum + Number(time), 0) / 1e6;
}
