import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ServerProcess } from "../../tools/processes/serverProcess";
import { getTool } from "../../tools/toolchain/getTool";
import { debianFolder } from "./debianFolder";
import { network, plugCable } from "./network";

/** The control group of all pods. The name is fixed, because there is only one node at a time. */
const cgroup = "docs-node";

export interface NodeOptions {
  /** The node's own folder, on a file system that supports overlays. */
  folder: string;
  kubeconfig: object;
  /** The node pulls from this registry. `host` includes the port. `caFile` is the registry's authority. */
  registry: { host: string; caFile: string };
  /** The image of the pause container, which keeps a pod's network namespace. */
  pauseImage: string;
}

/** A worker node of Kubernetes: kubelet, containerd, runc and kube-proxy. node.sh separates it from this machine. */
export class Node {
  private constructor(private readonly server: ServerProcess) {}

  /** Requires root, and the network of network.ts. `ready` asks the API server about the node. */
  static async start(options: NodeOptions, ready: () => Promise<boolean>): Promise<Node> {
    const { folder } = options;
    const programs = await nodePrograms();
    writeConfiguration(options, programs.plugins);
    // A killed run may have left an empty control group.
    await removeCgroup();
    for (const hierarchy of hierarchies()) {
      mkdirSync(join(hierarchy, cgroup), { recursive: true });
    }
    const environment = {
      NODE_FOLDER: folder,
      HOST_ADDRESS: network.host,
      NODE_ADDRESS: network.node,
      NODE_END: network.nodeEnd,
      PATH: [...programs.path, process.env.PATH].join(":"),
      LD_LIBRARY_PATH: programs.libraries,
    };
    // Descriptor 3 is this machine's network namespace. node.sh uses it to move one end of the cable into the network
    // namespace of the node.
    const enter = 'exec 3</proc/self/ns/net; exec unshare --net --pid --mount --mount-proc --fork --kill-child sh "$@"';
    await plugCable();
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const args = [...variables, "sh", "-c", enter, "sh", join(__dirname, "node.sh")];
    try {
      return new Node(await ServerProcess.start("env", args, ready));
    } catch (error) {
      await removeCgroup();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server.close();
    await removeCgroup();
  }
}

export async function nodePrograms(): Promise<{ path: string[]; plugins: string; libraries: string }> {
  const root = await debianFolder("node", ["runc", "nftables"]);
  const containerd = await getTool("containerd");
  const plugins = dirname(await getTool("bridge"));
  const path = [containerd, await getTool("kubelet"), await getTool("kube-proxy")].map((file) => dirname(file));
  // The programs from Debian run with this machine's C library, because both come from the same release of Debian.
  const libraries = ["usr/lib", "lib"].map((folder) => join(root, folder, "x86_64-linux-gnu")).join(":");
  return { path: [...path, join(root, "usr/sbin")], plugins, libraries };
}

function writeConfiguration(options: NodeOptions, plugins: string): void {
  const { folder, registry } = options;
  const place = (...names: string[]) => join(folder, ...names);
  for (const name of ["kubelet", "containerd", "cni", join("registries", registry.host)]) {
    mkdirSync(place(name), { recursive: true });
  }
  const write = (name: string, content: object) => writeFileSync(place(name), JSON.stringify(content));
  write("kubeconfig", options.kubeconfig);
  write("kubelet.json", kubeletConfiguration());
  write("kube-proxy.json", proxyConfiguration(place("kubeconfig")));
  write("cni/pods.conflist", podNetwork);
  writeFileSync(place("containerd.toml"), containerdConfiguration(options, plugins));
  const trusted = `server = "https://${registry.host}"\nca = "${registry.caFile}"\n`;
  writeFileSync(place("registries", registry.host, "hosts.toml"), trusted);
}

function kubeletConfiguration(): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: network.node,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroup}`,
    // The cluster has no name server. The address only prevents a warning for each pod.
    clusterDNS: [network.host],
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    enforceNodeAllocatable: [],
    // This machine may support only version 1 of control groups. By default, kubelet refuses this version.
    failCgroupV1: false,
    evictionHard: { "nodefs.available": "1%", "imagefs.available": "1%", "memory.available": "100Mi" },
    failSwapOn: false,
    localStorageCapacityIsolation: true,
    maxPods: 250,
    resolvConf: "",
    volumePluginDir: "/run/volume-plugins",
  };
}

function proxyConfiguration(kubeconfig: string): object {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clientConnection: { kubeconfig },
    clusterCIDR: network.pods,
    healthzBindAddress: "127.0.0.1:10256",
    metricsBindAddress: "127.0.0.1:10249",
    // Zero leaves these limits unchanged. They belong to the whole machine, so a network namespace cannot change them.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  };
}

const podNetwork = {
  cniVersion: "1.0.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "pods",
      isGateway: true,
      hairpinMode: true,
      ipam: { type: "host-local", ranges: [[{ subnet: network.pods }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
  ],
};

function containerdConfiguration({ folder, pauseImage }: NodeOptions, plugins: string): string {
  return `version = 3
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.runtime']
# A container is not to be less than what started it, which on a machine inside of another takes rights that it lacks.
restrict_oom_score_adj = true
disable_apparmor = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ["${plugins}"]
conf_dir = "${folder}/cni"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = "${pauseImage}"
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = "${folder}/registries"
`;
}

function hierarchies(): string[] {
  const top = "/sys/fs/cgroup";
  if (existsSync(join(top, "cgroup.controllers"))) {
    return [top];
  }
  return readdirSync(top)
    .map((name) => join(top, name))
    .filter((folder) => existsSync(join(folder, "cgroup.procs")));
}

/** The kernel needs a moment to end the group's processes, so the removal is tried several times. */
async function removeCgroup(): Promise<void> {
  for (const hierarchy of hierarchies()) {
    for (let tries = 0; existsSync(join(hierarchy, cgroup)) && tries < 100; tries++) {
      try {
        removeEmptyFolders(join(hierarchy, cgroup));
      } catch {
        await sleep(100);
      }
    }
  }
}

/** Removes only folders: the kernel removes the files of a control group together with its folder. */
function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      removeEmptyFolders(join(folder, entry.name));
    }
  }
  rmdirSync(folder);
}
