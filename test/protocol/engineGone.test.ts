import { expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { hosts, resourceOn } from "../support/protocol/protocolHosts";

it.each(Object.entries(hosts))(
  "the %s that has only checked a resource ends once its engine is gone",
  async (_, startHost) => {
    const host = await startHost(await testPlatform());
    const { check } = resourceOn(host, "StaticExport");
    expect((await check({ domain: "docs.example.com" })).failures).toEqual([]);
    host.engine.end();
    const isThere = () =>
      check({ domain: "docs.example.com" }).then(
        () => true,
        () => false,
      );
    await expect.poll(isThere).toBe(false);
  },
);
