import { setTimeout as sleep } from "node:timers/promises";
import { chart, helm, type Manifest } from "../chart/helm";
import type { ControlPlane } from "./controlPlane";

const core = "/api/v1/namespaces/docs";
const apps = "/apis/apps/v1/namespaces/docs";

/** What a release has come to. */
export interface Rollout {
  /** The hashes of the pod templates that have a ReplicaSet, oldest first. */
  replicaSets: string[];
  /** The hash of the pod template that all pods have now. */
  current: string;
  /** Counts the changes of the Deployment. */
  generation: number;
  /** The identities of the pods. */
  pods: string[];
  /** The link in the Secret; undefined where there is none. */
  link: string | undefined;
}

/** Makes the namespace `docs`, which takes pods of the profile "restricted" only. */
export async function makeNamespace(plane: ControlPlane): Promise<void> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await plane.ask("POST", "/api/v1/namespaces", { metadata: { name: "docs", labels } });
}

/** Gives the values to a real release, and waits until it is rolled out. */
export async function rollOut(plane: ControlPlane, values: unknown): Promise<Rollout> {
  const run = await helm(["upgrade", "--install", "docs", chart, "--namespace", "docs"], values, plane.kubeconfig);
  if (run.code !== 0) {
    throw new Error(run.stderr);
  }
  const deployment = await settled(plane);
  const sets = (await list(plane, `${apps}/replicasets`)).sort(byCreation);
  const pods = await list(plane, `${core}/pods`);
  const [secret] = (await list(plane, `${core}/secrets`)).filter(({ metadata }) => metadata.name === "docs-link");
  return {
    replicaSets: sets.map(hashOf),
    current: [...new Set(pods.map(hashOf))].join(),
    generation: deployment.metadata.generation as number,
    pods: pods.map(({ metadata }) => String(metadata.uid)).sort(),
    link: secret && Buffer.from(secret.data.bundleUrl, "base64").toString(),
  };
}

/** There is no node: in its place, this tells of each pod that it is ready. */
async function settled(plane: ControlPlane): Promise<Manifest> {
  for (let tries = 0; tries < 300; tries++) {
    const deployment = await plane.ask("GET", `${apps}/deployments/docs`);
    const { spec, status, metadata } = deployment;
    const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
    if (status.observedGeneration === metadata.generation && counts.every((count) => count === spec.replicas)) {
      return deployment;
    }
    await makeReady(plane);
    await sleep(100);
  }
  throw new Error(`not rolled out: ${JSON.stringify(await plane.ask("GET", `${core}/events`))}`);
}

async function makeReady(plane: ControlPlane): Promise<void> {
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const pod of await list(plane, `${core}/pods`)) {
    if (pod.status.phase !== "Running") {
      // It may have been deleted since.
      await plane.ask("PATCH", `${core}/pods/${pod.metadata.name}/status`, { status }).catch(() => undefined);
    }
  }
}

async function list(plane: ControlPlane, path: string): Promise<Manifest[]> {
  return (await plane.ask("GET", path)).items;
}

function hashOf({ metadata }: Manifest): string {
  return (metadata.labels as Record<string, string>)["pod-template-hash"] ?? "";
}

function byCreation(a: Manifest, b: Manifest): number {
  return String(a.metadata.creationTimestamp).localeCompare(String(b.metadata.creationTimestamp));
}
