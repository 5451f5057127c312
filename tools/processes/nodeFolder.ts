import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { startProcess } from "./startProcess";

/** The folder of a Node.js of this major version, or of the one that runs this. */
export async function nodeFolder(major: number): Promise<string> {
  if (process.version.startsWith(`v${major}.`)) {
    return dirname(process.execPath);
  }
  const { NODE_OPTIONS: _, VITEST: __, npm_config_local_prefix: ___, ...env } = process.env;
  const command = ["-y", "-p", `node@${major}`, "node", "-p", "'path='+process.execPath"];
  const { output } = await startProcess("npx", command, { cwd: tmpdir(), env: { ...env, INIT_CWD: tmpdir() } }).ended;
  const file = /^path=(.+)$/m.exec(output)?.[1] ?? "";
  if (!existsSync(file)) {
    throw new Error(output);
  }
  return dirname(file);
}
