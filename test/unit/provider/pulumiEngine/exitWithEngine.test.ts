import net from "node:net";
import { describe, expect, it } from "vitest";
import { runSource } from "../../../support/fixtures/runSource";
import { listen } from "../../../support/loopback";

const watch = `
  require("./provider/pulumiEngine/exitWithEngine.ts")
    .exitWithEngine(require("./provider/pulumiEngine/session.ts").processSession);
`;
/** A process that watches its engine, and ends by itself after this many milliseconds. */
const script = (life: number) => `
  ${watch}
  ${watch}
  console.log("ready");
  setTimeout(() => process.exit(7), ${life});
`;

describe("a provider process", () => {
  it("ends within seconds once its engine is gone, and not before", async () => {
    const server = net.createServer((socket) => socket.on("error", () => {}));
    const { port } = await listen(server);
    const { ready, ended, child } = runSource(script(5_000), [
      "dynamic-provider",
      "--logtostderr",
      `127.0.0.1:${port}`,
    ]);
    await ready;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(child.exitCode).toBeNull();
    const closedAt = Date.now();
    server.close();
    expect(await ended).toMatchObject({ code: 1 });
    expect(Date.now() - closedAt).toBeLessThan(4_000);
  });

  it("does not keep itself alive for the watch", async () => {
    const { port } = await listen(net.createServer((socket) => socket.on("error", () => {})));
    const begin = Date.now();
    const once = `${watch} console.log("ready");`;
    expect(await runSource(once, ["dynamic-provider", `127.0.0.1:${port}`]).ended).toMatchObject({ code: 0 });
    expect(Date.now() - begin).toBeLessThan(5_000);
  });

  it("that was given no engine is left alone", async () => {
    // Longer than a process outlives its engine.
    expect(await runSource(script(3_000), ["dynamic-provider"]).ended).toMatchObject({ code: 7 });
  });
});
