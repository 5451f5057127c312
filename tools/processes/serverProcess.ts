import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Its input ends when we end it, and also when this process is killed: a server never outlives its test. */
const untilInputEnds = 'stop=$1; shift; "$0" "$@" & server=$!; cat > /dev/null; kill -s $stop $server; wait $server';

/** A server on loopback that a test has started. */
export class ServerProcess {
  /** What it has written. */
  output = "";

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
  }

  /**
   * Starts it, and waits until it is ready.
   *
   * @param stop the signal that ends it; one that has children must be asked, by TERM, to end them.
   * @throws Error with its last words, where it ends before that, or is not ready within a minute.
   */
  static async start(
    file: string,
    args: readonly string[],
    ready: () => Promise<boolean>,
    stop: "KILL" | "TERM" = "KILL",
  ): Promise<ServerProcess> {
    const child = spawn("sh", ["-c", untilInputEnds, file, stop, ...args], { cwd: tmpdir(), stdio: "pipe" });
    const server = new ServerProcess(child);
    for (let tries = 0; tries < 600; tries++) {
      if (await ready().catch(() => false)) {
        return server;
      }
      await sleep(100);
    }
    await server.close();
    throw new Error(`${file} is not ready:\n${server.output.slice(-2_000)}`);
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "close");
      this.child.stdin?.end();
      await ended;
    }
  }
}
