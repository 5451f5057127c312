import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnUntilInputEnds, unusedPort } from "../../tools/processes/serverProcess";
import { getTool } from "../../tools/toolchain/getTool";

export interface Toxic {
  type: "latency" | "reset_peer" | "slicer" | "limit_data" | "timeout" | "bandwidth";
  /** `upstream` affects the bytes of the client, `downstream` those of the server. */
  stream: "upstream" | "downstream";
  /** The share of the connections that the fault affects, from 0 to 1. */
  toxicity: number;
  attributes: Record<string, number>;
}

/**
 * The time limit of an API call in milliseconds. A call may hang if a connection ends at the same time (Toxiproxy's
 * issue #558).
 */
const apiLimit = 2_000;

/** A proxy in front of one server. Its process ends with the test process, even if the test process is killed. */
export class FaultyProxy {
  /** How often Toxiproxy hung and was restarted. A restart breaks all connections and removes all toxics. */
  hangs = 0;
  #names = 0;
  readonly #active = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  #server: Server;
  private constructor(
    private readonly upstream: string,
    server: Server,
  ) {
    this.#server = server;
  }

  static async start(url: string): Promise<FaultyProxy> {
    const upstream = new URL(url).host;
    return new FaultyProxy(upstream, await startServer(upstream, "127.0.0.1:0"));
  }

  get url(): string {
    return `http://${this.#server.listen}`;
  }

  /** Adds a toxic. Returns its name. */
  add(toxic: Toxic): Promise<string> {
    const name = `toxic-${++this.#names}`;
    return this.#inTurn(async () => {
      this.#active.add(name);
      await ask(this.#server, "POST", `${this.#server.path}/toxics`, { ...toxic, name });
      return name;
    }, name);
  }

  /** Removes a toxic if it exists. Toxiproxy sends or drops the bytes that the toxic still delays. */
  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#active.delete(name)) {
        await ask(this.#server, "DELETE", `${this.#server.path}/toxics/${name}`);
      }
    }, undefined);
  }

  async removeAll(): Promise<void> {
    await Promise.all([...this.#active].map((name) => this.remove(name)));
  }

  async close(): Promise<void> {
    await this.#last;
    await end(this.#server.child);
  }

  /** Runs one call at a time. If Toxiproxy hangs, starts a new process without toxics, and returns `whenReplaced`. */
  #inTurn<T>(work: () => Promise<T>, whenReplaced: T): Promise<T> {
    const done = this.#last.then(async () => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Hung)) {
          throw error;
        }
        this.hangs++;
        this.#active.clear();
        await end(this.#server.child);
        this.#server = await startServer(this.upstream, this.#server.listen);
        return whenReplaced;
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

interface Process {
  child: ChildProcess;
  port: number;
}

interface Server extends Process {
  /** The path of the proxy in Toxiproxy's API. */
  path: string;
  /** The host and port of the proxy. */
  listen: string;
}

class Hung extends Error {}

let built: Promise<string> | undefined;

async function startServer(upstream: string, listen: string): Promise<Server> {
  built ??= getTool("toxiproxy-server");
  const executable = await built;
  for (let tries = 1; ; tries++) {
    const port = await unusedPort();
    const child = spawnUntilInputEnds(executable, ["-host", "127.0.0.1", "-port", String(port)], "KILL", {
      env: { ...process.env, LOG_LEVEL: "info" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", () => {});
    const server = await openProxy({ child, port }, upstream, listen);
    if (server !== undefined) {
      return server;
    }
    await end(child);
    if (tries === 5) {
      throw new Error(`Toxiproxy (${executable}) does not start on port ${port}`);
    }
  }
}

/** @returns the server with its proxy, or undefined if another process listens on the port. */
async function openProxy(started: Process, upstream: string, listen: string): Promise<Server | undefined> {
  const name = randomUUID();
  let known = false;
  // The started Toxiproxy logs the name of its new proxy. If the log lacks this name, another process got the call.
  started.child.stdout?.setEncoding("utf8").on("data", (lines: string) => {
    known ||= lines.includes(name);
  });
  if (!(await answers(started))) {
    return undefined;
  }
  const path = `/proxies/${name}`;
  const made = await ask(started, "POST", "/proxies", { name, listen, upstream, enabled: true }).catch(() => undefined);
  for (let tries = 0; made !== undefined && tries < 40; tries++) {
    if (known) {
      return { ...started, path, listen: JSON.parse(made).listen };
    }
    await sleep(25);
  }
  await ask(started, "DELETE", path).catch(() => {});
  return undefined;
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

async function answers(started: Process): Promise<boolean> {
  for (let tries = 0; tries < 200 && isAlive(started.child); tries++) {
    await sleep(25);
    if (await ask(started, "GET", "/version").catch(() => false)) {
      return true;
    }
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (isAlive(child)) {
    const ended = once(child, "exit");
    child.stdin?.end();
    await ended;
  }
}

/** Calls Toxiproxy's API on a new connection, so that no open connection remains. */
function ask({ port }: Process, method: string, path: string, body?: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, agent: false }, async (response) => {
      try {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) {
          text += chunk;
        }
        const good = (response.statusCode ?? 500) < 300;
        good ? resolve(text) : reject(new Error(`Toxiproxy, ${method} ${path}: ${response.statusCode} ${text}`));
      } catch (error) {
        reject(error);
      } finally {
        clearTimeout(limit);
      }
    });
    const limit = setTimeout(() => request.destroy(new Hung(`Toxiproxy, ${method} ${path}: no answer`)), apiLimit);
    request.on("error", (error) => {
      clearTimeout(limit);
      reject(error);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
