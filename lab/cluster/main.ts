import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Platform, startPlatform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";
import { getTool } from "../../tools/toolchain/getTool";
import { say } from "../../tools/toolchain/progress";
import { Cluster, clusterProblem } from "./cluster";
import { makeSiteImage } from "./images";

const day = 24 * 60 * 60_000;
const readyLimit = 3 * 60_000;

/** `npm run cluster`: a whole Kubernetes on this machine to look at, with a site served in it, until a Ctrl-C. */
async function main(): Promise<void> {
  const problem = clusterProblem();
  if (problem !== "") {
    throw new Error(problem);
  }
  // Ctrl-C reaches the whole group. It ends nothing before this process has ended the parts in their order.
  const interrupted = Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
  const helm = await getTool("helm");
  say("starting Kubernetes with one node");
  const cluster = await Cluster.start();
  const platform = await startPlatform({ linkLife: day });
  try {
    const image = await makeSiteImage(cluster.images, cluster.caFile);
    const site = await serveSite(cluster, platform, helm, image);
    console.log(`
Two pods serve a site, by the chart of examples/helm: ${site}

  export KUBECONFIG=${cluster.plane.kubeconfig}
  kubectl get pods --namespace docs

Both images of the chart: ${image}
Pods reach this machine alone. Ctrl-C ends the cluster, and leaves nothing of it.`);
    await interrupted;
  } finally {
    await platform.close();
    await cluster.close();
  }
}

/**
 * Releases the chart with an export of the embedded platform.
 * @returns the address of its Service, when its pods are ready.
 */
async function serveSite(cluster: Cluster, platform: Platform, helm: string, image: string): Promise<string> {
  const { origin } = await cluster.gateway(platform.baseUrl);
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const minted = await fetch(`${platform.baseUrl}/v1/static-export/jobs/${jobId}/bundle`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.apiKey}` },
  });
  const { bundleUrl } = (await minted.json()) as { bundleUrl: string };
  const staticExport = { enabled: true, bundleUrl: bundleUrl.replace(platform.baseUrl, origin), version: jobId };
  const chart = join(projectRoot, "examples", "helm", "chart");
  const flags = ["--namespace", "docs", "--create-namespace", "--values", "-"];
  execFileSync(helm, ["upgrade", "--install", "docs", chart, ...flags], {
    input: JSON.stringify({ staticExport, images: { fetch: image, server: image } }),
    // The user's own settings of Helm are neither read nor changed.
    env: { PATH: process.env.PATH, HOME: dirname(cluster.plane.kubeconfig), KUBECONFIG: cluster.plane.kubeconfig },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const { plane } = cluster;
  for (const begin = Date.now(); Date.now() - begin < readyLimit; await sleep(200)) {
    const { spec, status } = await plane.ask("GET", "/apis/apps/v1/namespaces/docs/deployments/docs");
    if (status.availableReplicas === spec.replicas) {
      return `http://${(await plane.ask("GET", "/api/v1/namespaces/docs/services/docs")).spec.clusterIP}/`;
    }
  }
  throw new Error(`the site's pods are not ready after ${readyLimit / 1_000} s`);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
