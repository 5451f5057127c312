import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { type EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type CollectedOutput, collectOutput } from "./startProcess";

/**
 * Runs a server until this script's input ends. The input also ends when our process is killed, so no server outlives
 * our process. Ctrl-C reaches every process of a terminal. The shell ignores Ctrl-C, because the server must end first.
 */
const untilInputEnds = `
  trap "" INT; stop=$1; shift; exec 3<&0
  "$0" "$@" 3<&- & server=$!
  { cat <&3 >/dev/null 2>&1; kill -s $stop $server; } & watcher=$!
  exec 3<&-; wait $server; code=$?; kill $watcher; exit $code`;

/** @param stop the signal for the program when the input ends. TERM lets the program end its own children. */
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

export class ServerProcess {
  readonly #written: CollectedOutput;

  private constructor(private readonly child: ChildProcess) {
    this.#written = collectOutput(child);
  }

  get output(): string {
    return this.#written.output;
  }

  /**
   * Starts the server, and waits until `ready` returns true for the output so far.
   * @throws Error with the last output if the server ends, or is not ready after three minutes.
   */
  static async start(
    file: string,
    args: readonly string[],
    ready: (output: string) => Promise<boolean>,
    stop: "KILL" | "TERM" = "KILL",
  ): Promise<ServerProcess> {
    const server = new ServerProcess(spawnUntilInputEnds(file, args, stop));
    for (let tries = 0; tries < 1_800 && !hasEnded(server.child); tries++) {
      // Another server may already use the port and answer. So an answer counts only while our own server runs.
      if ((await ready(server.output).catch(() => false)) && !hasEnded(server.child)) {
        return server;
      }
      await sleep(100);
    }
    await server.close();
    throw new Error(`${file} is not ready:\n${server.output.slice(-2_000)}`);
  }

  /** @param line matches the server's output. Its first group is the port. */
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

/** Returns an unused port below those that the system itself chooses, for a server that cannot report its own port. */
export async function unusedPort(first = 20_000, count = 12_000): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = first + randomInt(count);
    if ((await reserve(port)) && (await isFree(port))) {
      return port;
    }
  }
  throw new Error(`found no free port from ${first} to ${first + count - 1}`);
}

/** Reserves a port for this process by a UDP socket. The socket does not block a TCP server on this port. */
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
