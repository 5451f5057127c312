import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";

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
  const folder = mkdtempSync(join(tmpdir(), "server-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
  await expect.poll(() => isAlive(server), { timeout: 10_000 }).toBe(false);
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
