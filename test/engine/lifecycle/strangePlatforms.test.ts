import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { testStack } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { strangeBundle } from "../../support/strangeBundle";
import { strangePlatforms } from "../../support/strangeHabits";
import { type StrangeOperation, strangePlatform } from "../../support/strangePlatform";

const tried = strangePlatforms.filter(({ engine }) => engine === "always" || (campaign && engine === "campaign"));

describe("on a platform whose habits the API text does not show", () => {
  it.each(tried)(
    "a first run, an unchanged one, a renewal, a mirror and a message hold: $axis, $value",
    async ({ habit, archive, apiKey, basePath = "", environment, site, warns }) => {
      const front = await strangePlatform(apiKey);
      front.habit = { ...habit, bundle: await (archive ?? strangeBundle)() };
      const reached = { baseUrl: front.baseUrl + basePath, apiKey: front.apiKey, requests: front.requests };
      const stack = await testStack(reached, {});
      const copies = join(stack.folder, "copies");
      stack.declare({
        site: { domain: "docs.example.com", ...site },
        bundle: {},
        copy: { layout: "site", destination: pathToFileURL(copies).href },
        message: { jobId: "agent-1", projectId: "docs", prompt: "Go on." },
      });
      Object.assign(stack.environment, environment);
      const askedIn = async (run: Promise<{ code: number | null; output: string }>): Promise<StrangeOperation[]> => {
        front.asked.length = 0;
        const { code, output } = await run;
        expect(code, output).toBe(0);
        // An agent at work has no pull request yet, so the program exports an undefined value.
        expect(output).not.toMatch(/warning: (?!Undefined value)/);
        return [...front.asked];
      };

      const first = await askedIn(stack.up());
      const looks = first.filter((operation) => operation === "getExport");
      expect(first.filter((operation) => operation !== "getExport").sort()).toEqual([
        ...["generateBundle", "generateBundle", "sendMessage", "startExport"],
      ]);
      expect(looks.length).toBeGreaterThanOrEqual(1);
      expect(existsSync(join(copies, "guide", "index.html"))).toBe(true);
      expect(stack.printed.join("\n")).toMatch(new RegExp(warns ?? ""));
      const before = await stack.outputs();

      const requests = front.requests.length;
      expect(await askedIn(stack.up("--expect-no-changes"))).toEqual([]);
      expect(front.requests.length).toBe(requests);

      passHour(front.platform, stack);
      expect(await askedIn(stack.up())).toEqual(["generateBundle"]);
      const { bundleUrl, expiresAt, issuedAt, values, ...same } = await stack.outputs();
      expect(before).toMatchObject(same);
      expect(bundleUrl).not.toBe(before.bundleUrl);
    },
  );
});
