import { delimiter } from "node:path";
import { describe, expect, it } from "vitest";
import { testPlatform } from "../support/engineTest";
import { oldNodeOfFile } from "../support/oldNodeOfFile";
import { hosts } from "../support/protocol/protocolHosts";

const oldNode = oldNodeOfFile();

describe.each(Object.entries(hosts))("on a Node.js that is too old, the %s", (_, host) => {
  it("starts, and refuses each resource by what to put on PATH; nothing is sent", async () => {
    const platform = await testPlatform();
    const PATH = [oldNode(), process.env.PATH].join(delimiter);
    // The tests' `NODE_OPTIONS` need a supported Node.js.
    const environment = { PATH, NODE_OPTIONS: undefined };
    const { client, urnOf, ownInputs } = await host(platform, { environment });
    const own = ownInputs("StaticExport", "site");
    const { failures } = await client.check(urnOf("StaticExport", "site"), { ...own, domain: "docs.example.com" });
    const reason = expect.stringMatching(
      /runs on Node\.js 20\.\d+\.\d+, but needs Node\.js 22\.19\.0 or later\. Install it/,
    );
    expect(failures).toEqual([{ property: "", reason }]);
    expect(platform.requests).toEqual([]);
  }, 60_000);
});
