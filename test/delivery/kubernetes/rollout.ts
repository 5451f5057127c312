import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "../../../tools/servers/controlPlane";
import { chart, helm, type KubernetesObject } from "../chart/helm";

export const core = "/api/v1/namespaces/docs";
export const apps = "/apis/apps/v1/namespaces/docs";

export interface Rollout {
  /** The pod template hashes, from oldest to newest. */
  replicaSets: string[];
  /** The pod template hash of the current pods. */
  current: string;
  /** The number of changes of the Deployment so far, as Kubernetes counts them. */
  generation: number;
  /** The UIDs of the current pods. */
  pods: string[];
  /** The link in the Secret, if there is a Secret. */
  link: string | undefined;
}

/** The namespace accepts only pods that satisfy the profile "restricted". */
export async function makeNamespace(plane: ControlPlane): Promise<void> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await plane.ask("POST", "/api/v1/namespaces", { metadata: { name: "docs", labels } });
}

/**
 * Installs or upgrades a release by the real Helm, and waits until it is rolled out.
 * @param makeReady makes the pods ready. By default it writes their status, because no node runs them.
 */
export async function rollOut(plane: ControlPlane, values: unknown, makeReady = setReady): Promise<Rollout> {
  const run = await helm(["upgrade", "--install", "docs", chart, "--namespace", "docs"], values, plane.kubeconfig);
  if (run.code !== 0) {
    throw new Error(run.stderr);
  }
  return observeRollout(plane, makeReady);
}

/** Waits until a release is rolled out, whatever program has installed it. */
export async function observeRollout(plane: ControlPlane, makeReady = setReady): Promise<Rollout> {
  const deployment = await waitForRollout(plane, makeReady);
  const sets = (await listObjects(plane, `${apps}/replicasets`)).sort(byCreation);
  const pods = (await listObjects(plane, `${core}/pods`)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const [secret] = (await listObjects(plane, `${core}/secrets`)).filter(
    ({ metadata }) => metadata.name === "docs-link",
  );
  return {
    replicaSets: sets.map(hashOf),
    current: [...new Set(pods.map(hashOf))].join(),
    generation: deployment.metadata.generation as number,
    pods: pods.map(({ metadata }) => String(metadata.uid)).sort(),
    link: secret && Buffer.from(secret.data.bundleUrl, "base64").toString(),
  };
}

/** In milliseconds. Kubernetes restarts a failed container after five minutes at most. */
const rolloutLimit = 6 * 60_000;

async function waitForRollout(
  plane: ControlPlane,
  makeReady: (plane: ControlPlane) => Promise<void>,
): Promise<KubernetesObject> {
  for (const begin = Date.now(); Date.now() - begin < rolloutLimit; await sleep(100)) {
    const deployment = await plane.ask("GET", `${apps}/deployments/docs`);
    const { spec, status, metadata } = deployment;
    const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
    if (status.observedGeneration === metadata.generation && counts.every((count) => count === spec.replicas)) {
      return deployment;
    }
    await makeReady(plane);
  }
  throw new Error(`not rolled out: ${JSON.stringify(await plane.ask("GET", `${core}/events`))}`);
}

/** Sets the status of each pod to ready, as a node does. */
async function setReady(plane: ControlPlane): Promise<void> {
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const pod of await listObjects(plane, `${core}/pods`)) {
    if (pod.status.phase !== "Running") {
      // The pod may have been deleted meanwhile.
      await plane.ask("PATCH", `${core}/pods/${pod.metadata.name}/status`, { status }).catch(() => undefined);
    }
  }
}

export async function listObjects(plane: ControlPlane, path: string): Promise<KubernetesObject[]> {
  return (await plane.ask("GET", path)).items;
}

function hashOf({ metadata }: KubernetesObject): string {
  return (metadata.labels as Record<string, string>)["pod-template-hash"] ?? "";
}

function byCreation(a: KubernetesObject, b: KubernetesObject): number {
  return String(a.metadata.creationTimestamp).localeCompare(String(b.metadata.creationTimestamp));
}
