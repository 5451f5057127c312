import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { expect, it } from "vitest";
import { fetchNode } from "../../tools/processes/fetchNode";
import { projectRoot } from "../../tools/projectRoot";

it("npm scripts of a clone run on the Node.js that `npm ci` has brought, whichever one the shell has", async () => {
  const inherited = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { ...process.env, PATH: [await fetchNode("20"), ...inherited].join(delimiter) };
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: projectRoot, env, encoding: "utf8" }).stdout;
  const { version } = require("../../tools/node/package.json");
  expect(run("node", "--version")).toMatch(/^v20\./);
  expect(run("npx", "vitest", "--version")).toContain(`node-v${version}\n`);
});
