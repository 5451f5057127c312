import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { siteAndBundle, testPlatform, testStack } from "../../support/engineTest";

const warning = /docs-platform:apiKey is in clear text/g;

async function withKey(platform: Platform, way: "--plaintext" | "--secret") {
  const stack = await testStack(platform, siteAndBundle, { keyInClear: way === "--plaintext" });
  stack.environment.DOCS_PLATFORM_API_KEY = "";
  expect(await stack.pulumi("config", "set", way, "docs-platform:apiKey", platform.apiKey)).toMatchObject({ code: 0 });
  return stack;
}

describe("a key in the stack's configuration", () => {
  it("in clear works, and gives one warning with the command that mends it; after that there is none", async () => {
    const platform = await testPlatform();
    const stack = await withKey(platform, "--plaintext");
    // Only a language host tells a program which configuration keys are secret.
    const up = () => stack.start("up", "--yes", "--skip-preview").ended;
    for (const run of [await stack.start("preview").ended, await up()]) {
      expect(run.code).toBe(0);
      expect(run.output.split("Diagnostics:")[1]?.match(warning)).toHaveLength(1);
      expect(run.output).toContain("pulumi config set --secret docs-platform:apiKey");
      expect(run.output).not.toContain(platform.apiKey);
    }
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
    const mended = await up();
    expect(mended).toMatchObject({ code: 0, requests: [] });
    expect(mended.output).not.toMatch(warning);
  });
});
