import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { oldNodeOfFile } from "../support/oldNodeOfFile";

const oldNode = oldNodeOfFile();

it("npm scripts of a clone run on the Node.js that `npm ci` has brought, whichever one the shell has", () => {
  const inherited = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { ...process.env, PATH: [oldNode(), ...inherited].join(delimiter) };
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: projectRoot, env, encoding: "utf8" }).stdout;
  const { version } = require("../../tools/node/package.json");
  expect(run("node", "--version")).toMatch(/^v20\./);
  expect(run("npx", "vitest", "--version")).toContain(`node-v${version}\n`);
});
