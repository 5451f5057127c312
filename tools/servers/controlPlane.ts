import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ServerProcess, unusedPort } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

const token = "token-of-the-test";

export const serviceRange = "10.244.254.0/24";

const withoutNode = ["deployment-controller", "replicaset-controller"];
const withNode = [
  ...withoutNode,
  "cronjob-controller",
  "endpointslice-controller",
  "garbage-collector-controller",
  "job-controller",
  "node-lifecycle-controller",
  "persistentvolume-binder-controller",
  "pod-garbage-collector-controller",
  "root-ca-certificate-publisher-controller",
];

export interface Programs {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  /** The path of the scheduler, which is needed only if there is a node. */
  scheduler?: string;
}

/** Builds the programs one after the other, because each build uses the whole machine. */
export async function controlPlanePrograms(): Promise<Programs> {
  const etcd = await getTool("etcd");
  const apiServer = await getTool("kube-apiserver");
  return { etcd, apiServer, controllerManager: await getTool("kube-controller-manager") };
}

/** A real Kubernetes API server with its store and controllers. Nothing runs the pods until a test adds a node. */
export class ControlPlane {
  readonly kubeconfig: string;

  private constructor(
    private readonly folder: string,
    private readonly origin: string,
    private readonly servers: ServerProcess[],
  ) {
    this.kubeconfig = join(folder, "kubeconfig");
  }

  /** @param address the address on which the API server listens. */
  static async start(programs: Programs, address = "127.0.0.1"): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), "kubernetes-"));
    const plane = new ControlPlane(folder, `https://${address}:${await unusedPort()}`, []);
    try {
      await plane.#startServers(programs);
      return plane;
    } catch (error) {
      await plane.close();
      throw error;
    }
  }

  async #startServers({ etcd, apiServer, controllerManager, scheduler }: Programs): Promise<void> {
    const store = `http://127.0.0.1:${await unusedPort()}`;
    const etcdReady = async () => (await fetch(`${store}/health`)).ok;
    this.servers.push(await ServerProcess.start(etcd, await etcdArguments(this.folder, store), etcdReady));
    writeServiceAccountKey(this.folder);
    writeFileSync(join(this.folder, "tokens.csv"), `${token},admin,admin,system:masters\n`);
    const apiReady = () => this.#isHealthy("/readyz");
    this.servers.push(
      await ServerProcess.start(apiServer, apiServerArguments(this.folder, store, this.origin), apiReady),
    );
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfig(this.folder, this.origin)));
    const controllers = scheduler === undefined ? withoutNode : withNode;
    const authority = `--root-ca-file=${join(this.folder, "certificates", "apiserver.crt")}`;
    await this.#startClient(controllerManager, [`--controllers=${controllers.join()}`, authority]);
    if (scheduler !== undefined) {
      await this.#startClient(scheduler, []);
    }
  }

  /** Starts a program that is only a client of the API server, such as the scheduler. */
  async #startClient(executable: string, more: readonly string[]): Promise<void> {
    const port = await unusedPort();
    const listen = ["--bind-address=127.0.0.1", `--secure-port=${port}`];
    const args = [`--kubeconfig=${this.kubeconfig}`, "--leader-elect=false", ...listen, ...more];
    const ready = () => this.#isHealthy("/healthz", `https://127.0.0.1:${port}`);
    this.servers.push(await ServerProcess.start(executable, args, ready));
  }

  /** @throws Error with the server's message, if the server refuses the request. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it, and fail where it has another shape
  async ask(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<any> {
    return JSON.parse(await this.read(method, path, body));
  }

  /** Returns the answer as text, because some answers are not JSON, such as a container's log. */
  async read(method: string, path: string, body?: unknown): Promise<string> {
    const { status, answer } = await this.#send(method, path, body);
    if (status >= 300) {
      throw new Error(`${method} ${path}: ${status} ${answer}`);
    }
    return answer;
  }

  async close(): Promise<void> {
    for (const server of this.servers.splice(0).reverse()) {
      await server.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #isHealthy(path: string, origin = this.origin): Promise<boolean> {
    return (await this.#send("GET", path, undefined, origin)).status === 200;
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    origin = this.origin,
  ): Promise<{ status: number; answer: string }> {
    const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    // The servers sign their certificates themselves, so the certificate is not checked.
    const options = { method, headers, rejectUnauthorized: false, agent: false as const };
    return new Promise((resolve, reject) => {
      const request = https.request(new URL(path, origin), options, (response) => {
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

function apiServerArguments(folder: string, store: string, origin: string): string[] {
  const { hostname, port } = new URL(origin);
  const key = join(folder, "service-account.key");
  return [
    `--etcd-servers=${store}`,
    `--bind-address=${hostname}`,
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, "certificates")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    `--service-cluster-ip-range=${serviceRange}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    "--disable-admission-plugins=ServiceAccount",
    // The API server reaches the node by the node's IP address, because no name server knows the node's name.
    "--kubelet-preferred-address-types=InternalIP",
  ];
}

function writeServiceAccountKey(folder: string): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(folder, "service-account.key"), pem, { mode: 0o600 });
}

function kubeconfig(folder: string, server: string): object {
  const authority = readFileSync(join(folder, "certificates", "apiserver.crt")).toString("base64");
  const cluster = { server, "certificate-authority-data": authority };
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
}

interface Status {
  conditions?: { type: string; status: string }[];
}

/** Returns true if a condition is met, such as `Ready` of a node or a pod, or `Complete` of a Job. */
export function hasCondition({ conditions = [] }: Status, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === "True");
}
