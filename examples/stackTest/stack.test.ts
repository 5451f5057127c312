import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { type Platform, startPlatform } from "pulumi-docs-platform/simulator";

describe("the stack", () => {
  const backend = mkdtempSync(join(tmpdir(), "stack-test-"));
  let platform: Platform;
  let stack: Stack;

  before(async () => {
    platform = await startPlatform({ queueTime: 0, jobTime: 0, linkLife: 1_000 });
    stack = await LocalWorkspace.createStack(
      { stackName: "test", workDir: __dirname },
      {
        envVars: {
          PULUMI_BACKEND_URL: `file://${backend}`,
          PULUMI_CONFIG_PASSPHRASE: "test",
          DOCS_PLATFORM_BASE_URL: platform.baseUrl,
          DOCS_PLATFORM_API_KEY: platform.apiKey,
          DOCS_PLATFORM_JOURNAL: join(backend, "journal"),
        },
      },
    );
  });

  after(async () => {
    await stack.workspace.removeStack("test", { force: true });
    await platform.close();
    rmSync(backend, { recursive: true, force: true });
  });

  it("starts one export", async () => {
    await stack.up();
    assert.deepEqual([platform.starts, platform.counts.createBundle], [1, 1]);
  });

  it("renews an expired link by one request, and keeps its version", async () => {
    const before = await stack.outputs();
    await sleep(Date.parse(before.expiresAt?.value) - Date.now());
    platform.linkLife = 3_600_000;
    platform.resetCounts();
    const { outputs } = await stack.up();
    assert.deepEqual([platform.requests.length, platform.counts.createBundle], [1, 1]);
    assert.equal(outputs.version?.value, before.version?.value);
  });

  it("sends nothing in a run that changes nothing", async () => {
    platform.resetCounts();
    await stack.up({ expectNoChanges: true });
    assert.equal(platform.requests.length, 0);
  });

  it("exports a new revision once, also where the first answer is 503", async () => {
    platform.resetCounts();
    platform.inject({ operation: "startExport", kind: "status", status: 503, headers: { "retry-after": "0" } });
    await stack.setConfig("revision", { value: "2" });
    await stack.up();
    assert.deepEqual([platform.counts.startExport, platform.starts], [2, 1]);
  });
});
