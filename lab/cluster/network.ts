import { runTool } from "../../tools/processes/runTool";
import { serviceRange } from "../../tools/servers/controlPlane";

export const network = {
  /** The address at which the node and its pods reach this machine. */
  host: "10.244.255.1",
  node: "10.244.255.2",
  pods: "10.244.0.0/24",
  services: serviceRange,
  /** The name is fixed, because there is only one cluster at a time. */
  bridge: "docs-node",
  /** The node's end of the virtual cable (a veth pair) between the bridge and the node. */
  nodeEnd: "docs-node-end",
} as const;

/**
 * Removes the network of a killed run, and makes a new one. The network stays when a node ends. Otherwise, packets to
 * pods and services would leave this machine.
 * @throws Error if this machine has another network at one of the addresses in {@link network}.
 */
export async function makeNetwork(): Promise<void> {
  await removeNetwork();
  await ip("link", "add", network.bridge, "type", "bridge");
  await ip("address", "add", `${network.host}/30`, "dev", network.bridge);
  await ip("link", "set", network.bridge, "up");
  for (const range of [network.pods, network.services]) {
    await ip("route", "add", range, "via", network.node, "dev", network.bridge, "onlink");
  }
}

/** Makes the virtual cable. The kernel removes the cable when the node ends. */
export async function plugCable(): Promise<void> {
  await ip("link", "add", "docs-node-port", "type", "veth", "peer", "name", network.nodeEnd);
  await ip("link", "set", "docs-node-port", "master", network.bridge, "up");
}

export async function removeNetwork(): Promise<void> {
  for (const link of ["docs-node-port", network.bridge]) {
    await runTool("ip", ["link", "delete", link], { cwd: "/" });
  }
}

async function ip(...args: string[]): Promise<void> {
  const { ok, output } = await runTool("ip", args, { cwd: "/" });
  if (!ok) {
    throw new Error(`ip ${args.join(" ")}: ${output.trim()}`);
  }
}
