import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { temporaryFolder } from "../../support/temporaryFolder";

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A program that starts a server which ignores Ctrl-C. On Ctrl-C, the program ends its server, as vitest does. */
const script = `
const { readFileSync } = require("node:fs");
const { ServerProcess } = require("./tools/processes/serverProcess");
const [file] = process.argv.slice(1);
// The shell creates the file before it writes the id.
const isReady = async () => readFileSync(file, "utf8").endsWith("\\n");
ServerProcess.start("sh", ["-c", "trap '' INT; echo $$ >" + file + "; exec sleep 60"], isReady).then((server) => {
  process.once("SIGINT", () => setTimeout(async () => {
    await server.close();
    process.exit((${isAlive})(Number(readFileSync(file, "utf8"))) ? 1 : 0);
  }, 300));
  console.log("ready");
});
setInterval(() => {}, 1000);
`;

it.each([
  ["SIGINT", 0],
  ["SIGKILL", null],
] as const)("a server ends with its test, when a %s ends that", async (signal, code) => {
  const file = join(temporaryFolder(), "server.pid");
  // The program gets its own process group, so that SIGINT reaches the whole group, as Ctrl-C in a terminal does.
  const options = { cwd: projectRoot, detached: true } as const;
  const { child, ended } = startProcess(process.execPath, ["--require", "tsx/cjs", "--eval", script, file], options);
  await once(child.stdout as Readable, "data");
  const server = Number(readFileSync(file, "utf8"));
  process.kill(signal === "SIGINT" ? -Number(child.pid) : Number(child.pid), signal);
  expect(await ended).toMatchObject({ code });
  await expect.poll(() => isAlive(server)).toBe(false);
});
