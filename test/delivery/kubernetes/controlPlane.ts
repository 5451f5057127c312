import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ServerProcess } from "../../../tools/processes/serverProcess";
import { unusedPort } from "../../../tools/processes/unusedPort";
import { getTool } from "../../../tools/toolchain/getTool";

const token = "token-of-the-test";

/** The programs of a control plane. */
export interface Programs {
  etcd: string;
  apiServer: string;
  controllerManager: string;
}

/** One after the other: each build uses the whole machine. */
export async function controlPlanePrograms(): Promise<Programs> {
  const etcd = await getTool("etcd");
  const apiServer = await getTool("kube-apiserver");
  return { etcd, apiServer, controllerManager: await getTool("kube-controller-manager") };
}

/**
 * A real Kubernetes API server with its store, and the controllers that turn Deployments into ReplicaSets and pods. It has
 * no node: pods stay as they are made.
 */
export class ControlPlane {
  readonly kubeconfig: string;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly servers: ServerProcess[],
  ) {
    this.kubeconfig = join(folder, "kubeconfig");
  }

  static async start(programs: Programs): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), "kubernetes-"));
    const plane = new ControlPlane(folder, await unusedPort(), []);
    try {
      await plane.#startServers(programs);
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  async #startServers({ etcd, apiServer, controllerManager }: Programs): Promise<void> {
    const store = `http://127.0.0.1:${await unusedPort()}`;
    const etcdReady = async () => (await fetch(`${store}/health`)).ok;
    this.servers.push(await ServerProcess.start(etcd, await etcdArguments(this.folder, store), etcdReady));
    writeServiceAccountKey(this.folder);
    writeFileSync(join(this.folder, "tokens.csv"), `${token},admin,admin,system:masters\n`);
    const apiArguments = apiServerArguments(this.folder, store, this.port);
    const apiReady = async () => (await this.#send("GET", "/readyz")).status === 200;
    this.servers.push(await ServerProcess.start(apiServer, apiArguments, apiReady));
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfig(this.folder, this.port)));
    const health = await unusedPort();
    const controllerArguments = controllerManagerArguments(this.kubeconfig, health);
    const controllersReady = async () => (await this.#send("GET", "/healthz", undefined, health)).status === 200;
    this.servers.push(await ServerProcess.start(controllerManager, controllerArguments, controllersReady));
  }

  /**
   * One request to the API.
   *
   * @throws Error with the server's words, where it refuses.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it, and fail where it has another shape
  async ask(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<any> {
    const { status, answer } = await this.#send(method, path, body);
    if (status >= 300) {
      throw new Error(`${method} ${path}: ${status} ${answer}`);
    }
    return JSON.parse(answer);
  }

  async close(): Promise<void> {
    for (const server of this.servers.splice(0).reverse()) {
      await server.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    port = this.port,
  ): Promise<{ status: number; answer: string }> {
    const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    // The servers sign their certificates themselves, in a folder that is theirs alone.
    const options = {
      host: "127.0.0.1",
      port,
      method,
      path,
      headers,
      rejectUnauthorized: false,
      agent: false as const,
    };
    return new Promise((resolve, reject) => {
      const request = https.request(options, (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
      });
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

async function etcdArguments(folder: string, clients: string): Promise<string[]> {
  const peers = `http://127.0.0.1:${await unusedPort()}`;
  const listen = ["--listen-client-urls", clients, "--advertise-client-urls", clients, "--listen-peer-urls", peers];
  const cluster = ["--initial-advertise-peer-urls", peers, "--initial-cluster", `default=${peers}`];
  return ["--data-dir", join(folder, "etcd"), ...listen, ...cluster, "--log-level", "error", "--unsafe-no-fsync"];
}

function apiServerArguments(folder: string, store: string, port: number): string[] {
  const key = join(folder, "service-account.key");
  return [
    `--etcd-servers=${store}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, "certificates")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    "--disable-admission-plugins=ServiceAccount",
    // On by itself from 1.35 on.
    "--feature-gates=ImageVolume=true",
  ];
}

function controllerManagerArguments(config: string, port: number): string[] {
  return [
    `--kubeconfig=${config}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--controllers=deployment-controller,replicaset-controller",
    "--leader-elect=false",
  ];
}

function writeServiceAccountKey(folder: string): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(folder, "service-account.key"), pem, { mode: 0o600 });
}

function kubeconfig(folder: string, port: number): object {
  const authority = readFileSync(join(folder, "certificates", "apiserver.crt")).toString("base64");
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": authority };
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
}
