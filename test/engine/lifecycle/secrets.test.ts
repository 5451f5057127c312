import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { filesIn } from "../../../tools/filesIn";
import { campaign } from "../../support/campaign";
import { testPlatform, testStack } from "../../support/engineTest";

/** Every form in which a secret could lie in a file. */
function forms(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -2)];
}

describe("the API key and the link", () => {
  it.each(campaign ? ["environment", "secret stack config"] : ["secret stack config"])(
    "given by %s, are in clear in no state, no output and no log",
    async (way) => {
      const apiKey = `live-${randomBytes(24).toString("hex")}`;
      const platform = await testPlatform({ apiKey, linkLife: 600 });
      const stack = await testStack(platform);
      if (way === "secret stack config") {
        stack.environment.DOCS_PLATFORM_API_KEY = "";
        await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", apiKey);
      }
      const outputs = [await stack.preview(), await stack.up()];
      const shown = await stack.shownOutputs();
      expect(shown).toEqual(await stack.outputs());
      const links = [shown.bundleUrl];
      await sleep(600);
      outputs.push(await stack.preview(), await stack.up(), await stack.refresh());
      links.push((await stack.outputs()).bundleUrl);
      platform.inject({
        operation: "getExport",
        kind: "status",
        status: 400,
        body: JSON.stringify({ error: `no ${apiKey} ${links[0]}` }),
      });
      outputs.push(await stack.refresh(), await stack.pulumi("stack", "output"), await stack.pulumi("stack", "export"));
      expect(outputs.slice(0, 5).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
      const signatures = links.map((link) => new URL(String(link)).searchParams.get("X-Amz-Signature") ?? "");
      expect(signatures.every((signature) => signature.length > 20)).toBe(true);
      const backend = join(stack.folder, "backend");
      const texts = filesIn(backend).map((name) => readFileSync(join(backend, name), "utf8"));
      expect(texts.length).toBeGreaterThan(0);
      for (const secret of [apiKey, ...signatures].flatMap(forms)) {
        expect(outputs.some(({ output }) => output.includes(secret))).toBe(false);
        expect(texts.some((text) => text.includes(secret))).toBe(false);
      }
    },
  );
});
