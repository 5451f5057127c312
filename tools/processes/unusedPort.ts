import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of this machine on which nothing listens. It lies below the ports that systems give out by themselves (from 32768
 * on Linux, from 49152 elsewhere). So no connection of another test takes it before the server that it is for does.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
        continue;
      }
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
