import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Platform, startPlatform } from "../../../simulator/index";
import { helm, type KubernetesObject } from "../../../test/delivery/chart/helm";
import {
  core,
  listObjects,
  makeNamespace,
  type Rollout,
  rollOut,
  upgrade,
} from "../../../test/delivery/kubernetes/rollout";
import { type DeclaredProgram, EngineStack } from "../../../test/support/engineStack";
import { hasCondition } from "../../../tools/servers/controlPlane";
import type { Gateway } from "../../../tools/servers/startGateway";
import { Cluster } from "../cluster";
import { makeSiteImage } from "../images";

/** A cluster with a release of the chart. */
export class SiteCluster {
  private constructor(
    readonly cluster: Cluster,
    /** An image of Debian with the programs that the chart expects in both of its images. */
    readonly image: string,
  ) {}

  static async start(): Promise<SiteCluster> {
    const cluster = await Cluster.start();
    const image = await makeSiteImage(cluster.images, cluster.caFile);
    await makeNamespace(cluster.plane);
    return new SiteCluster(cluster, image);
  }

  /** Rolls the chart out with these values and the images of this cluster, and waits for its pods. */
  rollOut(values: object): Promise<Rollout> {
    return rollOut(this.cluster.plane, this.#valuesOfCluster(values), async () => {});
  }

  /** Deploys without waiting for the pods. */
  async install(values: object): Promise<void> {
    await upgrade(this.cluster.plane, this.#valuesOfCluster(values));
  }

  #valuesOfCluster(values: object): object {
    return { images: { fetch: this.image, server: this.image }, maxBundleBytes: 64 * 1024 ** 2, ...values };
  }

  async uninstall(): Promise<void> {
    const args = ["uninstall", "docs", "--namespace", "docs", "--wait"];
    const { code, stderr } = await helm(args, undefined, this.cluster.plane.kubeconfig);
    if (code !== 0) {
      throw new Error(stderr);
    }
  }

  /** The address of the Service, which visitors use. */
  async origin(): Promise<string> {
    const { spec } = await this.cluster.plane.ask("GET", `${core}/services/docs`);
    return `http://${spec.clusterIP}`;
  }

  /** The pods of the chart that are not ending. */
  async pods(): Promise<KubernetesObject[]> {
    const pods = await listObjects(this.cluster.plane, `${core}/pods?labelSelector=app.kubernetes.io/instance=docs`);
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Deletes a pod, as the drain of a node does. */
  async deletePod(): Promise<void> {
    const [pod] = await this.pods();
    await this.cluster.plane.ask("DELETE", `${core}/pods/${pod?.metadata.name}`);
  }

  /**
   * Deletes a pod, and waits until another one is ready.
   * @returns seconds.
   * @throws Error if that takes longer than the limit.
   */
  async replacePod(limit = 120): Promise<number> {
    const before = Date.now();
    const known = new Set((await this.pods()).map(({ metadata }) => metadata.uid));
    await this.deletePod();
    for (; Date.now() - before < limit * 1_000; await sleep(100)) {
      const another = (await this.pods()).find(({ metadata }) => !known.has(metadata.uid));
      if (another && hasCondition(another.status, "Ready")) {
        return (Date.now() - before) / 1_000;
      }
    }
    throw new Error(`no pod is ready in place of the deleted one: ${await this.events()}`);
  }

  /** The events of Kubernetes about its pods, the newest last. */
  async events(): Promise<string> {
    const events = await listObjects(this.cluster.plane, `${core}/events`);
    return events.map(({ reason, message }) => `${reason}: ${message}`).join("\n");
  }

  close(): Promise<void> {
    return this.cluster.close();
  }
}

/** A platform behind a gateway, and a stack that uses it, on the real engine. */
export class SiteStack {
  private constructor(
    readonly platform: Platform,
    readonly gateway: Gateway,
    readonly stack: EngineStack,
  ) {}

  static async create({ cluster }: SiteCluster, declared: DeclaredProgram, linkLife: number): Promise<SiteStack> {
    const platform = await startPlatform({ queueTime: 0, jobTime: 50, linkLife });
    const gateway = await cluster.gateway(platform.baseUrl);
    const stack = await EngineStack.create(platform, declared);
    Object.assign(stack.environment, { DOCS_PLATFORM_BASE_URL: gateway.origin, DOCS_PLATFORM_CA_FILE: cluster.caFile });
    return new SiteStack(platform, gateway, stack);
  }

  /** Replaces the program by one that declares a mirror. */
  useMirrorProgram(): void {
    cpSync(join(__dirname, "../../../test/support/mirror/mirrorProgram.js"), join(this.stack.folder, "index.js"));
  }

  /** Runs one `pulumi up`. */
  async up(): Promise<Record<string, unknown>> {
    const { code, output } = await this.stack.up();
    if (code !== 0) {
      throw new Error(output);
    }
    return this.stack.outputs();
  }

  async close(): Promise<void> {
    this.stack.remove();
    await this.platform.close();
  }
}
