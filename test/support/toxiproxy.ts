import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { buildToxiproxy } from "../../tools/toxiproxy/buildToxiproxy.js";
import { unusedPort } from "./loopback";

/** Something that goes wrong with the connections of a proxy, as Toxiproxy's API takes it. */
export interface Toxic {
  type: "latency" | "reset_peer" | "slicer" | "limit_data" | "timeout" | "bandwidth";
  /** `upstream` spoils what the client sends, `downstream` what it receives. */
  stream: "upstream" | "downstream";
  /** The share of the connections that it meets. */
  toxicity: number;
  attributes: Record<string, number>;
}

/** A proxy in front of one server. */
export interface FaultyProxy {
  readonly url: string;
  /** @returns the toxic's name. */
  add(toxic: Toxic): Promise<string>;
  /** Connections that a toxic has held back go on, or end, at once. A toxic that is gone already is no error. */
  remove(toxic: string): Promise<void>;
  removeAll(): Promise<void>;
  /** Takes the proxy away, with all its connections. */
  close(): Promise<void>;
}

/** How long an answer of Toxiproxy's own API may take, in milliseconds. */
const apiLimit = 10_000;

/** A server of Toxiproxy on loopback: a process of its own, which lives until `close`, or until this process ends. */
export class Toxiproxy {
  #names = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<Toxiproxy> {
    const executable = await buildToxiproxy();
    for (let tries = 1; ; tries++) {
      const port = await unusedPort();
      const arguments_ = ["-host", "127.0.0.1", "-port", String(port)];
      // Somewhere else than here: it needs no file.
      const child = spawn(executable, arguments_, { cwd: tmpdir(), stdio: "ignore" });
      process.once("exit", () => child.kill("SIGKILL"));
      const toxiproxy = new Toxiproxy(child, port);
      if (await toxiproxy.#answers()) {
        return toxiproxy;
      }
      await toxiproxy.close();
      // Someone may have taken the port before it could.
      if (tries === 3) {
        throw new Error(`Toxiproxy (${executable}) does not start on port ${port}`);
      }
    }
  }

  async proxy(upstream: string): Promise<FaultyProxy> {
    const name = `proxy-${++this.#names}`;
    const path = `/proxies/${name}`;
    const made = { name, listen: "127.0.0.1:0", upstream: new URL(upstream).host, enabled: true };
    const { listen } = JSON.parse(await this.#ask("POST", "/proxies", made));
    const active = new Set<string>();
    const remove = async (toxic: string) => {
      if (active.delete(toxic)) {
        await this.#ask("DELETE", `${path}/toxics/${toxic}`);
      }
    };
    return {
      url: `http://${listen}`,
      add: async (toxic) => {
        const toxicName = `toxic-${++this.#names}`;
        await this.#ask("POST", `${path}/toxics`, { ...toxic, name: toxicName });
        active.add(toxicName);
        return toxicName;
      },
      remove,
      removeAll: async () => {
        await Promise.all([...active].map(remove));
      },
      close: async () => {
        await this.#ask("DELETE", path);
      },
    };
  }

  async close(): Promise<void> {
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) {
      return;
    }
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  async #answers(): Promise<boolean> {
    for (let tries = 0; tries < 100 && this.child.pid !== undefined && this.child.exitCode === null; tries++) {
      const version = await this.#ask("GET", "/version").catch(() => "");
      // Still alive a moment after its port answers: the answer is its own.
      await sleep(50);
      if (version !== "" && this.child.exitCode === null) {
        return true;
      }
    }
    return false;
  }

  /** Without a kept connection, so that none of ours is among those that a test counts. */
  #ask(method: string, path: string, body?: unknown): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.port, method, path, agent: false as const, timeout: apiLimit };
      const request = http.request(options, async (response) => {
        try {
          let text = "";
          for await (const chunk of response.setEncoding("utf8")) {
            text += chunk;
          }
          const good = (response.statusCode ?? 500) < 300;
          good ? resolve(text) : reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        } catch (error) {
          reject(error);
        }
      });
      request.on("timeout", () => request.destroy(new Error(`Toxiproxy does not answer ${method} ${path}`)));
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
