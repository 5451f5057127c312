import { readFileSync, writeFileSync } from "node:fs";
import { executablesOnPath } from "../../../tools/processes/executables";
import { ServerProcess, unusedPort } from "../../../tools/processes/serverProcess";
import type { Pod } from "../chart/pod";

export interface WebServer {
  /** Without a slash at the end. */
  origin: string;
  /** The address of the same server on the IPv6 loopback interface. */
  origin6: string;
  close(): unknown;
}

/**
 * Starts nginx as the chart does, except for the port and the log. The log is a file, because our standard output is a
 * socket, which nginx cannot open.
 */
export async function startNginx(pod: Pod): Promise<WebServer> {
  const port = await unusedPort();
  const config = pod.path("config/nginx.conf");
  const rendered = readFileSync(config, "utf8");
  const changed = rendered.replace("listen 8080;", `listen 127.0.0.1:${port};`).replace("[::]:8080", `[::1]:${port}`);
  writeFileSync(config, changed.replace("access_log /dev/stdout;", "access_log tmp/access.log;"));
  const [name = "", ...args] = pod.serverCommand;
  // In a pod, all processes of nginx run as one user. If nginx starts as root, its workers run as another user, unless
  // `user root` is set.
  const more = process.getuid?.() === 0 ? ["-g", "user root; daemon off;"] : ["-g", "daemon off;"];
  const origin = `http://127.0.0.1:${port}`;
  const ready = async () => (await fetch(origin)).status < 500;
  const file = executablesOnPath(name)[0] ?? name;
  const server = await ServerProcess.start(file, [...args.slice(0, args.indexOf("-g")), ...more], ready, "TERM");
  return { origin, origin6: `http://[::1]:${port}`, close: () => server.close() };
}
