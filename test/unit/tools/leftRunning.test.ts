import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import net from "node:net";
import { expect, it } from "vitest";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { leftBehind, resourcesAtRest } from "../../support/leftBehind";
import { openPort } from "../../support/loopback";

/** Starts something, and returns what ends it. */
const leftovers: [kind: string, start: () => Promise<() => unknown>][] = [
  [
    "TCPServerWrap",
    async () => {
      const server = net.createServer();
      await openPort(server);
      return () => server.close();
    },
  ],
  [
    "TCPSocketWrap",
    async () => {
      const server = net.createServer();
      const socket = net.connect(await openPort(server));
      await once(socket, "connect");
      server.close();
      return () => socket.destroy();
    },
  ],
  [
    "ProcessWrap",
    async () => {
      const child = spawn("sleep", ["60"], { stdio: "ignore" });
      return () => child.kill("SIGKILL");
    },
  ],
  [
    "Timeout",
    async () => {
      const timer = setInterval(() => {}, 60_000);
      return () => clearInterval(timer);
    },
  ],
  [
    "Immediate",
    async () => {
      let next = setImmediate(function again() {
        next = setImmediate(again);
      });
      return () => clearImmediate(next);
    },
  ],
  [
    "FSReqPromise",
    async () => {
      let isOver = false;
      void (async () => {
        while (!isOver) {
          await stat(__filename);
        }
      })();
      return () => {
        isOver = true;
      };
    },
  ],
];

it.each(leftovers)("a file that leaves a %s fails, and one that ends it does not", async (kind, start) => {
  const before = resourcesAtRest();
  const end = await start();
  const left = await leftBehind(before, 200);
  await end();
  expect(left.join()).toMatch(new RegExp(`^[1-9] ${kind}`));
  expect(await leftBehind(before)).toEqual([]);
});

it("a test that blocks its process ends it, and its file is named", async () => {
  const script = `
    require("./test/support/blockedProcess").watchBlocking(1)("a.test.ts");
    setTimeout(() => { for (;;); }, 500);
  `;
  const { ended } = startProcess(process.execPath, ["--require", "tsx/cjs", "--eval", script], { cwd: projectRoot });
  expect(await ended).toMatchObject({
    signal: "SIGKILL",
    stderr: "\na.test.ts has blocked its process for 1 s: the process is ended\n",
  });
});
