import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ServerProcess } from "../../../tools/processes/serverProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { temporaryFolder } from "../../support/temporaryFolder";

/** Starts a server that ignores Ctrl-C, and waits. */
const script = `
const { existsSync } = require("node:fs");
const { ServerProcess } = require("./tools/processes/serverProcess");
const [file] = process.argv.slice(1);
const isReady = async () => existsSync(file);
ServerProcess.start("sh", ["-c", "trap '' INT; echo $$ >" + file + "; exec sleep 60"], isReady).then(() => console.log("ready"));
setInterval(() => {}, 1000);
`;

it.each(["SIGINT", "SIGKILL"] as const)("a server ends with its test, when a %s ends that", async (signal) => {
  const folder = temporaryFolder();
  const file = join(folder, "server.pid");
  const args = ["--require", "tsx/cjs", "--eval", script, file];
  // A process group of its own, as the programs of a terminal have.
  const test = spawn(process.execPath, args, {
    cwd: projectRoot,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(test.stdout, "data");
  const server = Number(readFileSync(file, "utf8"));
  process.kill(signal === "SIGINT" ? -Number(test.pid) : Number(test.pid), signal);
  await expect.poll(() => isAlive(server)).toBe(false);
});

it("a server that ends before it is ready is an error with its last words, also if another one answers in its place", async () => {
  let looks = 0;
  const answersLater = async () => {
    looks++;
    await sleep(1_000);
    return true;
  };
  const started = ServerProcess.start("sh", ["-c", "echo address in use; exit 1"], answersLater);
  await expect(started).rejects.toThrow(/^sh is not ready:\naddress in use\n$/);
  expect(looks).toBe(1);
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
