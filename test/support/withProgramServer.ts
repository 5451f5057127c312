import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fastStart } from "./programFolder";

/** A process that runs programs (programServer.js), with the address for `--client`. */
interface ProgramServer {
  child: ChildProcess;
  address: string;
}

/** The servers that run no program now. They end with this process. */
const idle: ProgramServer[] = [];

/**
 * Runs a `pulumi` command whose program runs in a server process. If the command fails, the server process ends.
 * @param run starts the command with the server's address, and resolves with the exit code.
 */
export async function withProgramServer<Ended extends { code: number | null }>(
  folder: string,
  environment: NodeJS.ProcessEnv,
  run: (address: string) => Promise<Ended>,
): Promise<Ended> {
  const server = idle.pop() ?? (await startServer());
  server.child.send({ folder, environment });
  await once(server.child, "message");
  const ended = await run(server.address);
  if (ended.code === 0) {
    idle.push(server);
  } else {
    server.child.kill();
  }
  return ended;
}

async function startServer(): Promise<ProgramServer> {
  const env = { ...process.env, ...fastStart() };
  const child = fork(join(__dirname, "programServer.js"), { env, execArgv: [] });
  const [{ port }] = await once(child, "message");
  child.unref();
  child.channel?.unref();
  return { child, address: `127.0.0.1:${port}` };
}
