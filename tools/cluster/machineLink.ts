import { runTool } from "../processes/runTool";

/** The network between this machine and the node, and the ranges of addresses that lie behind the node. */
export const network = {
  /** This machine, as the node and its pods see it. */
  host: "10.244.255.1",
  node: "10.244.255.2",
  pods: "10.244.0.0/24",
  services: "10.0.0.0/24",
  /** The name of the link on this machine: there is one cluster at a time. */
  link: "docs-node",
  /** Its other end, until the node takes it. */
  otherEnd: "docs-node-end",
} as const;

/** Makes the link to a node that is still to be started. What a killed run has left of it goes first. */
export async function makeLink(): Promise<void> {
  await removeLink();
  await ip("link", "add", network.link, "type", "veth", "peer", "name", network.otherEnd);
  await ip("address", "add", `${network.host}/30`, "dev", network.link);
  await ip("link", "set", network.link, "up");
  for (const range of [network.pods, network.services]) {
    await ip("route", "replace", range, "via", network.node, "dev", network.link, "onlink");
  }
}

/** The kernel removes the link by itself when the node has taken its other end and ends. */
export async function removeLink(): Promise<void> {
  await runTool("ip", ["link", "delete", network.link], { cwd: "/" });
}

async function ip(...args: string[]): Promise<void> {
  const { ok, output } = await runTool("ip", args, { cwd: "/" });
  if (!ok) throw new Error(`ip ${args.join(" ")}: ${output.trim()}`);
}
