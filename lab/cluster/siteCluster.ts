import { setTimeout as sleep } from "node:timers/promises";
import { helm, type KubernetesObject } from "../../test/delivery/chart/helm";
import { core, listObjects, makeNamespace, type Rollout, rollOut } from "../../test/delivery/kubernetes/rollout";
import { hasCondition } from "../../tools/servers/controlPlane";
import { Cluster } from "./cluster";
import { makeSiteImage } from "./images";

export class SiteCluster {
  private constructor(
    readonly cluster: Cluster,
    /** One image, which serves as both images of the chart. */
    readonly image: string,
  ) {}

  static async start(): Promise<SiteCluster> {
    const cluster = await Cluster.start();
    const image = await makeSiteImage(cluster.images, cluster.caFile);
    await makeNamespace(cluster.plane);
    return new SiteCluster(cluster, image);
  }

  rollOut(values: object): Promise<Rollout> {
    const images = { fetch: this.image, server: this.image };
    return rollOut(this.cluster.plane, { images, maxBundleBytes: 64 * 1024 ** 2, ...values }, async () => {});
  }

  async uninstall(): Promise<void> {
    const args = ["uninstall", "docs", "--namespace", "docs", "--wait"];
    const { code, stderr } = await helm(args, undefined, this.cluster.plane.kubeconfig);
    if (code !== 0) {
      throw new Error(stderr);
    }
  }

  /** The address of the Service. */
  async origin(): Promise<string> {
    const { spec } = await this.cluster.plane.ask("GET", `${core}/services/docs`);
    return `http://${spec.clusterIP}`;
  }

  /** Returns the chart's pods, except those that are being deleted. */
  async pods(): Promise<KubernetesObject[]> {
    const pods = await listObjects(this.cluster.plane, `${core}/pods?labelSelector=app.kubernetes.io/instance=docs`);
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Deletes a pod, and returns the number of seconds until a new pod is ready. */
  async replacePod(limit = 120): Promise<number> {
    const before = Date.now();
    const known = await this.pods();
    await this.cluster.plane.ask("DELETE", `${core}/pods/${known[0]?.metadata.name}`);
    for (; Date.now() - before < limit * 1_000; await sleep(100)) {
      const isNew = (pod: KubernetesObject) => known.every(({ metadata }) => metadata.uid !== pod.metadata.uid);
      const another = (await this.pods()).find(isNew);
      if (another && hasCondition(another.status, "Ready")) {
        return (Date.now() - before) / 1_000;
      }
    }
    const events = await listObjects(this.cluster.plane, `${core}/events`);
    const eventTexts = events.map(({ reason, message }) => `${reason}: ${message}`).join("\n");
    throw new Error(`no pod is ready in place of the deleted one: ${eventTexts}`);
  }

  close(): Promise<void> {
    return this.cluster.close();
  }
}
