import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import type { Run } from "../../support/engineStack";
import { anError, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";
import { forms } from "../../support/fixtures/forms";
import { journalOf, killAll } from "../../support/fixtures/kills";
import { leaks } from "../../support/leaks";
import { passHour } from "../../support/passHour";
import { until } from "../../support/until";

describe("the forms of a secret", () => {
  it.each(["svc_0123456789abcdef", "https://f.test/a.tgz?x=1&sig=a%2Fb+c/d=="])(
    "find %s wherever it lies",
    (secret) => {
      for (const before of ["", "a", "ab", "abc"]) {
        for (const after of ["", "x", "xy", "xyz"]) {
          const text = before + secret + after;
          for (const encode of ["base64", "base64url"] as const) {
            const encoded = Buffer.from(text).toString(encode);
            expect(forms(secret).some((form) => encoded.includes(form))).toBe(true);
          }
        }
      }
      expect(forms(secret).every((form) => form.length > 15)).toBe(true);
    },
  );
});

function partsOf(link: unknown): string[] {
  const url = new URL(String(link));
  const parts = ["X-Amz-Signature", "Signature", "sig"].map((name) => url.searchParams.get(name));
  return [String(link), ...parts.filter((part) => part !== null)];
}

const ways = ["secret stack config", "environment"].slice(0, campaign ? 2 : 1);

describe.each(ways)("one life of a stack with a key from %s, with failures that echo what is secret", (way) => {
  it("leaves the key, the links and their signatures in clear nowhere", { timeout: 300_000 }, async () => {
    const apiKey = `${randomBytes(24).toString("base64")}==`;
    const agentJobs = [{ projectId: "docs", id: "agent-1" }];
    const platform = await testPlatform({ apiKey, jobTime: 600_000, agentTime: 50, agentJobs });
    const planted = `https://files.example.com/b.tgz?X-Amz-Signature=${randomBytes(32).toString("hex")}`;
    const secrets = new Set([apiKey, ...partsOf(planted)]);
    const stack = await testStack(platform);
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    if (way === "secret stack config") {
      stack.environment.DOCS_PLATFORM_API_KEY = "";
      await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", apiKey);
    }
    const echo = { error: `no ${apiKey} at ${planted}, Bearer ${apiKey}` };
    const runs: Run[] = [];

    async function scan(run: Promise<Run>, code: unknown = 0): Promise<void> {
      const ended = await run;
      runs.push(ended);
      expect.soft({ code: ended.code, output: ended.output }).toMatchObject({ code });
      expect(leaks(stack.folder, stack.printed, secrets)).toEqual([]);
    }

    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    killAll(stack);
    await scan(running.ended, null);
    expect(journalOf(stack)).toHaveLength(1);
    await stack.pulumi("cancel", "--yes");

    // The wait fails, but the job exists, so the engine saves a partial failure.
    platform.inject({ operation: "getExport", kind: "status", status: 403, body: JSON.stringify(echo), after: 1 });
    await scan(stack.up(), anError);

    // The next runs: one gets a bad link, two get good links, a refresh fails, and the platform refuses a message.
    platform.jobs.complete(String(platform.jobs.list()[0]?.jobId));
    const body = { bundleUrl: planted, expiresAt: echo.error };
    platform.inject({ operation: "createBundle", kind: "body", body, count: 3 });
    await scan(stack.up(), anError);
    for (const _ of ["new", "renewed"]) {
      await scan(stack.up());
      passHour(platform, stack);
      for (const part of partsOf((await stack.outputs()).bundleUrl)) {
        secrets.add(part);
      }
    }
    expect(await stack.shownOutputs()).toEqual(await stack.outputs());
    platform.inject({ operation: "getExport", kind: "status", status: 403, body: JSON.stringify(echo) });
    await scan(stack.refresh(), anError);
    const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
    stack.declare({ ...siteAndBundle, message });
    platform.inject({ operation: "sendMessage", kind: "status", status: 400, body: JSON.stringify(echo) });
    await scan(stack.up(), anError);
    await scan(stack.pulumi("stack", "output"));
    await scan(stack.pulumi("stack", "export"));
    expect(secrets.size).toBeGreaterThan(6);
    // If an output contains `[redacted]`, the platform's error answer really contained a secret.
    expect(runs.filter(({ output }) => output.includes("[redacted]"))).toHaveLength(3);
  });
});
