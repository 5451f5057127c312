import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Run } from "../../support/engineStack";
import { anError, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";
import { forms } from "../../support/fixtures/forms";
import { journalOf, killAll } from "../../support/fixtures/kills";
import { leaks } from "../../support/leaks";
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

describe("one life of a stack, with every failure that echoes what is secret", () => {
  it("leaves the key, the links and their signatures in clear nowhere", { timeout: 300_000 }, async () => {
    const apiKey = `${randomBytes(24).toString("base64")}==`;
    const agentJobs = [{ projectId: "docs", id: "agent-1" }];
    const platform = await testPlatform({ apiKey, jobTime: 600_000, agentTime: 50, agentJobs });
    const planted = `https://files.example.com/b.tgz?X-Amz-Signature=${randomBytes(32).toString("hex")}`;
    const secrets = new Set([apiKey, ...partsOf(planted)]);
    const stack = await testStack(platform);
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    const echo = { error: `no ${apiKey} at ${planted}, Bearer ${apiKey}` };
    const runs: Run[] = [];
    const journals: string[][] = [];

    async function scan(run: Promise<Run>, code: unknown = 0): Promise<void> {
      const ended = await run;
      runs.push(ended);
      expect.soft({ code: ended.code, output: ended.output }).toMatchObject({ code });
      journals.push(journalOf(stack));
      expect(leaks(stack.folder, stack.printed, secrets)).toEqual([]);
    }
    const refuse = (
      operation: "startExport" | "getExport" | "createBundle" | "sendMessage",
      status: number,
      body: string,
    ) => platform.inject({ operation, kind: "status", status, body });

    // These failures come before there is a job. test/protocol/secretScan.test.ts holds the other refusals and bad
    // links.
    refuse("startExport", 400, JSON.stringify(echo));
    await scan(stack.up(), anError);

    // A killed run, and the files that it leaves.
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > 0);
    killAll(stack);
    await scan(running.ended, null);
    expect(journals.at(-1)).toHaveLength(1);
    await stack.pulumi("cancel", "--yes");

    // A failure during the wait is saved as a partial failure. After it, a job fails.
    platform.inject({ operation: "getExport", kind: "status", status: 500, body: JSON.stringify(echo), after: 1 });
    await scan(stack.up(), anError);
    platform.jobs.fail(String(platform.jobs.list()[0]?.jobId), echo.error);
    await scan(stack.up(), anError);
    platform.jobTime = 50;
    const body = { bundleUrl: planted, expiresAt: echo.error };
    platform.inject({ operation: "createBundle", kind: "body", body, count: 3 });
    await scan(stack.up(), anError);

    // A success, a renewal, a failing refresh, and a refused message.
    platform.linkLife = 500;
    stack.declare({ ...siteAndBundle, bundle: { verifyLink: true } });
    await scan(stack.up());
    for (const part of partsOf((await stack.outputs()).bundleUrl)) {
      secrets.add(part);
    }
    await scan(stack.preview());
    platform.linkLife = 600_000;
    await scan(stack.up());
    for (const part of partsOf((await stack.outputs()).bundleUrl)) {
      secrets.add(part);
    }
    refuse("getExport", 403, JSON.stringify(echo));
    await scan(stack.refresh(), anError);
    const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
    stack.declare({ ...siteAndBundle, message });
    refuse("sendMessage", 500, JSON.stringify(echo));
    await scan(stack.up(), anError);
    await scan(stack.up());
    await scan(stack.pulumi("stack", "output"));
    await scan(stack.pulumi("stack", "output", "--json"));
    await scan(stack.pulumi("stack", "export"));
    await scan(stack.destroy());
    expect(secrets.size).toBeGreaterThan(6);
    // The platform's failures did contain the secrets.
    expect(runs.filter(({ output }) => output.includes("[redacted]"))).toHaveLength(4);
  });
});
