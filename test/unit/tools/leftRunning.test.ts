import { spawn } from "node:child_process";
import net from "node:net";
import { expect, it } from "vitest";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { leftBehind, resourcesAtRest } from "../../support/leftBehind";

/** Each function leaves something running. Its result is a function that ends it. */
const leftovers: Record<string, () => () => unknown> = {
  TCPServerWrap() {
    const server = net.createServer().listen(0, "127.0.0.1");
    return () => server.close();
  },
  ProcessWrap() {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    return () => child.kill("SIGKILL");
  },
};

it.each(Object.entries(leftovers))(
  "a file that leaves a %s fails, and one that ends it does not",
  async (kind, start) => {
    const before = resourcesAtRest();
    const end = start();
    const left = await leftBehind(before, 200);
    end();
    expect(left.join()).toMatch(new RegExp(`^[1-9] ${kind}`));
    expect(await leftBehind(before)).toEqual([]);
  },
);

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
