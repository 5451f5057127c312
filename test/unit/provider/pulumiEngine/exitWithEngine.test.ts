import net from "node:net";
import { describe, expect, it } from "vitest";
import { runSource } from "../../../support/fixtures/runSource";
import { listen } from "../../../support/loopback";

const watch = `
  require("./provider/pulumiEngine/exitWithEngine.ts")
    .exitWithEngine(require("./provider/pulumiEngine/pulumiSession.ts").processSession);
`;
/** The second `watch` must have no effect. If nothing else ends the process, it exits with code 7 after `life` ms. */
const script = (life: number) => `
  ${watch}
  ${watch}
  console.log("ready");
  setTimeout(() => process.exit(7), ${life});
`;

const argv = (port: number) => ["dynamic-provider", "--logtostderr", `127.0.0.1:${port}`];

describe("a provider process", () => {
  it("lives as long as each look finds its engine, and ends by itself once the engine is gone", async () => {
    const engine = net.createServer();
    const looks = await listen(engine);
    const { ended, child } = runSource(script(100_000), argv(looks.port));
    await expect.poll(() => looks.connections).toBeGreaterThanOrEqual(3);
    expect(child.exitCode).toBeNull();
    engine.close();
    expect(await ended).toMatchObject({ code: 1 });
  });

  it("does not keep itself alive for the watch", async () => {
    const { port } = await listen(net.createServer());
    expect(await runSource(watch, argv(port)).ended).toMatchObject({ code: 0 });
  });

  it("that was given no engine is left alone", async () => {
    // Without an engine, only the process's own timer ends the process, with code 7.
    expect(await runSource(script(3_000), ["dynamic-provider"]).ended).toMatchObject({ code: 7 });
  });
});
