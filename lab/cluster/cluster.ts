import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executablesOnPath } from "../../tools/processes/executables";
import { ControlPlane, controlPlanePrograms, hasCondition } from "../../tools/servers/controlPlane";
import { startCraneRegistry } from "../../tools/servers/startCraneRegistry";
import { type Gateway, type GatewayOptions, startGateway } from "../../tools/servers/startGateway";
import { getTool } from "../../tools/toolchain/getTool";
import { debianForSite, ImageMaker } from "./images";
import { makeNetwork, network, removeNetwork } from "./network";
import { Node, nodePrograms } from "./node";

const programs = ["apt-get", "dpkg-deb", "go", "ip", "nsenter", "openssl", "unshare"];

/** Returns the reason why this machine cannot start a cluster, or an empty text. */
export function clusterProblem(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "a node runs on Linux only, and with the rights of root: try it in a virtual machine";
  }
  const lacking = programs.filter((name) => executablesOnPath(name).length === 0);
  return lacking.length > 0 ? `this machine lacks ${lacking.join(", ")}` : "";
}

/** A Kubernetes cluster on this machine, with one node that really runs pods. The node can reach no other machine. */
export class Cluster {
  readonly #parts: { close(): unknown }[] = [];
  #node: Node | undefined;
  #images: ImageMaker | undefined;
  #plane: ControlPlane | undefined;
  #pauseImage = "";

  private constructor(
    private readonly folder: string,
    private readonly tls: { key: string; cert: string },
  ) {}

  static async start(): Promise<Cluster> {
    const controlPlane = { ...(await controlPlanePrograms()), scheduler: await getTool("kube-scheduler") };
    await nodePrograms();
    const pause = await debianForSite();
    const folder = mkdtempSync(join(tmpdir(), "cluster-"));
    const cluster = new Cluster(folder, makeCertificate(folder));
    try {
      await makeNetwork();
      const registry = cluster.#started(await startCraneRegistry(join(folder, "registry")));
      const { origin } = await cluster.gateway(`http://${registry.host}`);
      cluster.#images = new ImageMaker(registry, new URL(origin).host);
      const content = { layers: [{ folder: pause }], command: ["sleep", "infinity"] };
      cluster.#pauseImage = await cluster.images.make("pause", content);
      cluster.#plane = cluster.#started(await ControlPlane.start(controlPlane, network.host));
      await cluster.#startNode();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  get images(): ImageMaker {
    return started(this.#images);
  }

  get plane(): ControlPlane {
    return started(this.#plane);
  }

  /** The self-signed certificate of every server that {@link gateway} starts. Clients must trust it. */
  get caFile(): string {
    return join(this.folder, "authority", "authority.pem");
  }

  /** Gives pods access by https to a server on loopback. */
  async gateway(target: string, options: Pick<GatewayOptions, "isTransparent"> = {}): Promise<Gateway> {
    return this.#started(await startGateway({ target, tls: this.tls, address: network.host, ...options }));
  }

  async #startNode(): Promise<void> {
    const folder = join(this.folder, "node");
    mkdirSync(folder);
    const kubeconfig = JSON.parse(readFileSync(this.plane.kubeconfig, "utf8"));
    const registry = { host: this.images.registry, caFile: this.caFile };
    const options = { folder, kubeconfig, registry, pauseImage: this.#pauseImage };
    this.#node = await Node.start(options, () => this.#isReady());
  }

  async close(): Promise<void> {
    await this.#node?.close();
    for (const part of this.#parts.splice(0).reverse()) {
      await part.close();
    }
    await removeNetwork();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #started<Part extends { close(): unknown }>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  async #isReady(): Promise<boolean> {
    const { status } = await this.plane.ask("GET", "/api/v1/nodes/node");
    return hasCondition(status, "Ready");
  }
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) {
    throw new Error("the cluster has not started");
  }
  return part;
}

/** The certificate is for the address at which the node reaches this machine. */
function makeCertificate(folder: string): { key: string; cert: string } {
  mkdirSync(join(folder, "authority"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "authority", "authority.pem")];
  const names = ["-subj", "/CN=storage", "-addext", `subjectAltName=IP:${network.host}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
