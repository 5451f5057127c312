import { once } from "node:events";
import { Cluster, clusterProblem } from "../cluster/cluster";
import { makeSiteImage } from "../cluster/images";
import { say } from "../toolchain/progress";

/** `npm run cluster`: a whole Kubernetes on this machine to look at, until a Ctrl-C. */
async function main(): Promise<void> {
  const problem = clusterProblem();
  if (problem !== "") throw new Error(problem);
  // Ctrl-C reaches the whole group: it ends nothing before this process has ended the parts in their order.
  const interrupted = Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
  say("starting Kubernetes with one node");
  const cluster = await Cluster.start();
  try {
    const image = await makeSiteImage(cluster.images, cluster.caFile);
    console.log(`
The node is ready.

  export KUBECONFIG=${cluster.plane.kubeconfig}
  kubectl get nodes

Both images of the chart in examples/helm: ${image}
Its pods reach this machine alone. Ctrl-C ends the cluster, and leaves nothing of it.`);
    await interrupted;
  } finally {
    await cluster.close();
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
