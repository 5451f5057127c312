import { describe, expect, it } from "vitest";
import { secret, secretNames, unknownValue } from "../support/protocol/messages";
import { ProviderClient } from "../support/protocol/providerClient";
import { EngineServer, startPlugin } from "../support/protocol/providerProcess";

const key = "svc_of-an-argument";

async function pluginWith(environment: NodeJS.ProcessEnv) {
  const engine = await EngineServer.start();
  return { engine, client: new ProviderClient(await startPlugin(environment, engine.address)) };
}

describe("the configuration of a provider", () => {
  it("keeps the key secret, also where the program gives it plain or does not know it yet", async () => {
    const { client } = await pluginWith({});
    for (const apiKey of [key, secret(key), unknownValue]) {
      const { inputs, failures } = await client.checkConfig({ baseUrl: "https://x.example", apiKey }, "elsewhere");
      expect(failures).toEqual([]);
      expect(secretNames(inputs)).toEqual(["apiKey"]);
    }
  });

  it("replaces nothing where it changes, and changes nothing where it stays", async () => {
    const { client } = await pluginWith({});
    const [before, after] = [{ baseUrl: "https://x.example", apiKey: secret(key) }, { apiKey: secret("svc_other") }];
    expect(await client.diffConfig(before, before)).toMatchObject({ changes: false, replaces: [] });
    expect(await client.diffConfig(before, after)).toMatchObject({ changes: true, replaces: [] });
  });
});
