import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { type EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type CollectedOutput, collectOutput } from "./startProcess";

/**
 * A shell script that runs a server, and ends the server when the script's input ends. The input ends when we close it,
 * or when this process is killed, so a server never continues after its test. The script also ends when the server
 * ends. Ctrl-C reaches every process of a terminal. The script ignores it, because the shell must not end before the
 * server.
 */
const untilInputEnds = `
  trap "" INT; stop=$1; shift; exec 3<&0
  "$0" "$@" 3<&- & server=$!
  { cat <&3 >/dev/null 2>&1; kill -s $stop $server; } & watcher=$!
  exec 3<&-; wait $server; code=$?; kill $watcher; exit $code`;

/**
 * Starts a program. The program is ended when its input ends, at the latest when this process ends. By default, it runs
 * in the folder for temporary files.
 * @param stop the signal that ends the program. A program that has child processes needs TERM, so that it can end them.
 */
export function spawnUntilInputEnds(
  file: string,
  args: readonly string[],
  stop: "KILL" | "TERM",
  options: SpawnOptions = {},
): ChildProcess {
  return spawn("sh", ["-c", untilInputEnds, file, stop, ...args], { cwd: tmpdir(), stdio: "pipe", ...options });
}

/** Ends a process of {@link spawnUntilInputEnds}, unless it has ended already. */
export async function endInput(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    const ended = once(child, "close");
    child.stdin?.end();
    await ended;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** A server on loopback that a test has started. */
export class ServerProcess {
  readonly #written: CollectedOutput;

  private constructor(private readonly child: ChildProcess) {
    this.#written = collectOutput(child);
  }

  get output(): string {
    return this.#written.output;
  }

  /**
   * Starts the server, and waits until it is ready.
   * @param ready gets the output that the server has printed so far, and returns true if the server is ready.
   * @param stop the signal that ends the server, as for {@link spawnUntilInputEnds}.
   * @throws Error with the server's last output, if the server ends before it is ready, or is not ready after three
   * minutes. A node of Kubernetes needs one minute on a busy machine.
   */
  static async start(
    file: string,
    args: readonly string[],
    ready: (output: string) => Promise<boolean>,
    stop: "KILL" | "TERM" = "KILL",
  ): Promise<ServerProcess> {
    const server = new ServerProcess(spawnUntilInputEnds(file, args, stop));
    for (let tries = 0; tries < 1_800 && !hasEnded(server.child); tries++) {
      // If our server has ended, the server that answers is another one. For example, it was already using the port.
      if ((await ready(server.output).catch(() => false)) && !hasEnded(server.child)) {
        return server;
      }
      await sleep(100);
    }
    await server.close();
    throw new Error(`${file} is not ready:\n${server.output.slice(-2_000)}`);
  }

  /**
   * Starts a server that listens on port 0, so that the system chooses a free port.
   * @param line matches the line of the server's output that contains the port, with the port as its group.
   * @throws as {@link start} does.
   */
  static async startOnFreePort(
    file: string,
    args: readonly string[],
    line: RegExp,
  ): Promise<{ server: ServerProcess; port: number }> {
    const server = await ServerProcess.start(file, args, async (output) => line.test(output));
    return { server, port: Number(line.exec(server.output)?.[1]) };
  }

  close(): Promise<void> {
    return endInput(this.child);
  }
}

/**
 * Returns a port of this machine for a server that cannot report its own port. Nothing listens on it, and no other
 * process of the tests gets it while this process runs. It is below the ports that the system itself chooses (from
 * 32768 on Linux, from 49152 on other systems).
 * @param first the first of the `count` possible ports.
 * @throws Error if no free port is found in a thousand attempts.
 */
export async function unusedPort(first = 20_000, count = 12_000): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = first + randomInt(count);
    if ((await reserve(port)) && (await isFree(port))) {
      return port;
    }
  }
  throw new Error(`found no free port from ${first} to ${first + count - 1}`);
}

/**
 * Reserves a TCP port for this process by a UDP socket on the same port number. No other process can then bind this UDP
 * port, so another call of this function returns false. The UDP socket does not block a TCP server, and is closed when
 * this process ends.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  const reserved = await isBound(socket, () => socket.bind({ port, address: "127.0.0.1", exclusive: true }));
  if (!reserved) {
    socket.close();
  }
  return reserved;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await isBound(server, () => server.listen(port, "127.0.0.1"));
  server.close();
  return free;
}

function isBound(socket: EventEmitter, bind: () => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    socket.once("listening", () => resolve(true));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    bind();
  });
}
