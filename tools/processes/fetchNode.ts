import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { startProcess } from "./startProcess";

/** Downloads Node.js, once for each user, and returns its folder. A major version selects its newest release. */
export async function fetchNode(version: string): Promise<string> {
  const { NODE_OPTIONS: _, VITEST: __, npm_config_local_prefix: ___, ...env } = process.env;
  const command = ["-y", "-p", `node@${version}`, "node", "-p", "'path='+process.execPath"];
  const { output } = await startProcess("npx", command, { cwd: tmpdir(), env: { ...env, INIT_CWD: tmpdir() } }).ended;
  const file = /^path=(.+)$/m.exec(output)?.[1] ?? "";
  if (!existsSync(file)) {
    throw new Error(output);
  }
  return dirname(file);
}
