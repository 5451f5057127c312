import { once } from "node:events";
import { startPlatform } from "../../simulator/index";
import { completedJob } from "../../test/support/completedJob";
import { printProgressLine } from "../../tools/toolchain/progress";
import { clusterProblem } from "./cluster";
import { SiteCluster } from "./siteCluster";

const day = 24 * 60 * 60_000;

/** `npm run cluster` */
async function main(): Promise<void> {
  const problem = clusterProblem();
  if (problem !== "") {
    throw new Error(problem);
  }
  // The servers ignore Ctrl-C, so that this process can end them in order.
  const interrupted = Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
  printProgressLine("starting Kubernetes with one node");
  const site = await SiteCluster.start();
  const platform = await startPlatform({ linkLife: day });
  try {
    const { origin } = await site.cluster.gateway(platform.baseUrl);
    const { jobId, bundleUrl } = await completedJob(platform);
    const link = bundleUrl.replace(platform.baseUrl, origin);
    await site.rollOut({ staticExport: { enabled: true, bundleUrl: link, version: jobId } });
    console.log(`
Two pods serve a site, by the chart of charts/docs-site: ${await site.origin()}/

  export KUBECONFIG=${site.cluster.plane.kubeconfig}
  kubectl get pods --namespace docs

Both images of the chart: ${site.image}
Pods reach this machine alone. Ctrl-C ends the cluster, and leaves nothing of it.`);
    await interrupted;
  } finally {
    await platform.close();
    await site.close();
  }
}

main().catch((error: unknown) => {
  printProgressLine(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
