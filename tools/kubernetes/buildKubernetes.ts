import { join } from "node:path";
import { buildGoTool } from "../goTools/buildGoTool";

/** The store of the API server. See {@link buildGoTool}. */
export function buildEtcd(): Promise<string> {
  return buildGoTool({
    name: "etcd",
    folder: join(__dirname, "etcd"),
    module: "go.etcd.io/etcd/server/v3",
    package: ".",
    // Its version is a constant.
    variables: () => ({}),
    versionArguments: ["--version"],
    buildTime: "about 20 seconds",
  });
}

/** The API server of Kubernetes. See {@link buildGoTool}. */
export function buildApiServer(): Promise<string> {
  return buildServer("kube-apiserver", "about three minutes and a half");
}

/** The controllers of Kubernetes, which turn Deployments into ReplicaSets and pods. See {@link buildGoTool}. */
export function buildControllerManager(): Promise<string> {
  return buildServer("kube-controller-manager", "about one minute after the API server");
}

/** Judges manifests by JSON schemas. See {@link buildGoTool}. */
export function buildKubeconform(): Promise<string> {
  return buildGoTool({
    name: "kubeconform",
    folder: join(__dirname, "kubeconform"),
    module: "github.com/yannh/kubeconform",
    package: "github.com/yannh/kubeconform/cmd/kubeconform",
    variables: (version) => ({ "main.version": `v${version}` }),
    versionArguments: ["-v"],
    buildTime: "about 5 seconds",
  });
}

function buildServer(name: string, buildTime: string): Promise<string> {
  return buildGoTool({
    name,
    folder: join(__dirname, "servers"),
    module: "k8s.io/kubernetes",
    package: `k8s.io/kubernetes/cmd/${name}`,
    variables: serverVariables,
    versionArguments: ["--version"],
    buildTime,
  });
}

function serverVariables(version: string): Record<string, string> {
  const [major = "", minor = ""] = version.split(".");
  const told = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  return Object.fromEntries(
    Object.entries(told).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
  );
}
