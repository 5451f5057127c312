import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { campaign } from "../../support/campaign";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { languages } from "./languages";
import { lifecycleOn } from "./suite";

/** What they need takes minutes to build. LANGUAGES names those that are wanted, else it is all. */
const wanted = process.env.LANGUAGES?.split(",") ?? Object.keys(languages);
const hosts = Object.entries(languages).filter(([name]) => wanted.includes(name));

describe.skipIf(!campaign)("the languages with a generated SDK", () => {
  it.each(hosts)(
    "run the example of %s",
    async (_, host) => {
      const platform = await testPlatform();
      const stack = await testStack(platform, {});
      await host.prepare(stack);
      cpSync(join(projectRoot, "examples", "languages", host.example), join(stack.folder, basename(host.example)));
      const { code, output, requests } = await stack.up();
      expect(code, output).toBe(0);
      const { jobId, version, bundleUrl } = await stack.outputs();
      expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
      expect({ version, bundleUrl }).toEqual({ version: jobId, bundleUrl: expect.stringMatching(/^http:/) });
    },
    1_200_000,
  );

  for (const [, host] of hosts) {
    lifecycleOn(host);
  }
});
