import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** The id of a user who owns nothing on the machine. */
export const nobody = 65_534;

export interface RpcCall {
  path: string;
  message: Uint8Array;
}

/**
 * Returns true if this process may start a process of another user: it must be root on Linux. Name root in the title of
 * a test that needs this.
 * @throws Error if it would return false and CI=true, because in CI these tests must run.
 */
export function canBeAnotherUser(): boolean {
  const can = process.platform === "linux" && process.getuid?.() === 0;
  if (!can && process.env.CI === "true") {
    throw new Error("these tests need the rights of root, and with CI=true no test may be skipped for that");
  }
  return can;
}

/** Starts a Node.js process of another user that runs this script. */
export function spawnAs(user: number, script: string, ...args: string[]) {
  // The other user may lack the right to open the folder of this Node.js. `/proc/self/exe` needs no such right.
  return spawn("/proc/self/exe", ["-e", script, ...args], {
    ...{ uid: user, gid: user, cwd: "/", env: {} },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/**
 * Sends these calls to a port of this machine, one after another, from a process of another user.
 * @returns the gRPC status of each call, or null if no answer came.
 */
export async function callAs(
  user: number,
  port: number,
  calls: readonly RpcCall[],
  host = "127.0.0.1",
): Promise<(string | null)[]> {
  const script = readFileSync(join(__dirname, "protocol", "callPlugin.js"), "utf8");
  const child = spawnAs(user, script, host, String(port));
  child.stdin.end(JSON.stringify(calls.map(({ path, message }) => [path, Buffer.from(message).toString("base64")])));
  return JSON.parse(await text(child.stdout));
}

/**
 * Starts another user's process, which listens on a free port until the test ends. `received` ends the process earlier,
 * and returns an empty text if the process has received no data.
 */
export async function listenAs(user: number): Promise<{ port: number; received(): Promise<string> }> {
  const script = `
    const server = require("node:net").createServer((socket) => {
      socket.on("error", () => {}).on("data", (data) => process.stdout.write("received\\n")).write("");
    });
    server.listen(0, "127.0.0.1", () => console.log(server.address().port));
    process.stdin.on("end", () => process.exit()).resume();
  `;
  const child = spawnAs(user, script);
  onTestFinished(async () => {
    const ended = once(child, "close");
    child.stdin.end();
    await ended;
  });
  const [line] = await once(child.stdout, "data");
  const rest = text(child.stdout);
  return {
    port: Number(line),
    async received() {
      child.stdin.end();
      return rest;
    },
  };
}
