import { spawn } from "node:child_process";
import net from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished, vi } from "vitest";
import { getTool } from "../../tools/toolchain/getTool";
import { listen } from "./loopback";

export interface ProxyUnderTest {
  host: string;
  /** The requests to the proxy, in order, as `CONNECT <status> <host>:<port>`. */
  readonly connects: readonly string[];
}

/**
 * Starts a real forward proxy, which runs until the test ends or `close` is called. `hosts` maps each `host:port` to a
 * port of this machine.
 */
export async function startForwardProxy(
  hosts: Readonly<Record<string, number>>,
  user = "",
): Promise<ProxyUnderTest & { close(): void }> {
  const executable = await getTool("forward-proxy");
  const pairs = Object.entries(hosts).map(([host, port]) => `${host}=127.0.0.1:${port}`);
  const child = spawn(executable, ["-hosts", pairs.join(","), "-user", user], { stdio: ["ignore", "pipe", "ignore"] });
  const connects: string[] = [];
  const host = await new Promise<string>((resolve, reject) => {
    child.on("error", reject).on("exit", () => reject(new Error("the proxy has ended")));
    createInterface(child.stdout).on("line", (line) => {
      const [, address] = /^listening on (.*)$/.exec(line) ?? [];
      address === undefined ? connects.push(line) : resolve(address);
    });
  });
  return { host, connects, close: () => child.kill("SIGKILL") };
}

/** Starts a real proxy for one test. This process then uses it. */
export async function throughProxy(hosts: Readonly<Record<string, number>>, user = ""): Promise<ProxyUnderTest> {
  const proxy = await startForwardProxy(hosts, user);
  onTestFinished(proxy.close);
  useProxy(`http://${user === "" ? "" : `${user}@`}${proxy.host}`);
  return proxy;
}

/** Until the test ends, sets HTTPS_PROXY and clears all other proxy variables. */
export function useProxy(address: string): void {
  for (const name of ["https_proxy", "http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"]) {
    vi.stubEnv(name, "");
  }
  vi.stubEnv("HTTPS_PROXY", address);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/**
 * Starts a proxy that reads a CONNECT and then misbehaves.
 * @param act the misbehaviour. It gets the client's connection and the number of earlier requests.
 */
export async function badProxy(act: (client: net.Socket, before: number) => void): Promise<ProxyUnderTest> {
  const connects: string[] = [];
  const server = net.createServer((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      const [, target] = /^CONNECT (\S+) /.exec(String(head)) ?? [];
      act(client, connects.push(`CONNECT ${target}`) - 1);
    });
  });
  const { port } = await listen(server);
  const host = `127.0.0.1:${port}`;
  useProxy(`http://${host}`);
  return { host, connects };
}

/** Answers that the tunnel is open, and connects the client to a port of this machine. */
export function tunnelTo(client: net.Socket, port: number, pipes = true): net.Socket {
  const server = net.connect(port, "127.0.0.1");
  server.on("error", () => client.destroy());
  client.on("close", () => server.destroy());
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (pipes) {
    client.pipe(server).pipe(client);
  }
  return server;
}
