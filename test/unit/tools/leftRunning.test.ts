import { spawn } from "node:child_process";
import net from "node:net";
import { expect, it } from "vitest";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { leakedResources, resourcesBeforeTests } from "../../support/leakedResources";

it("a file that leaves a server and a process running fails, and one that ends them does not", async () => {
  const before = resourcesBeforeTests();
  const server = net.createServer().listen(0, "127.0.0.1");
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const left = await leakedResources(before, 200);
  server.close();
  child.kill("SIGKILL");
  expect(left.join()).toMatch(/\d ProcessWrap/);
  expect(left.join()).toMatch(/\d TCPServerWrap/);
  expect(await leakedResources(before)).toEqual([]);
});

it("a test that blocks its process ends it, and its file is named", async () => {
  const script = `
    require("./test/support/watchBlocking").watchBlocking(1)("a.test.ts");
    setTimeout(() => { for (;;); }, 500);
  `;
  const { ended } = startProcess(process.execPath, ["--require", "tsx/cjs", "--eval", script], { cwd: projectRoot });
  expect(await ended).toMatchObject({
    signal: "SIGKILL",
    stderr: "\na.test.ts has blocked its process for 1 s: the process is ended\n",
  });
});
