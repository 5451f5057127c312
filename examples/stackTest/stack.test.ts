import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestStack, type TestStack } from "pulumi-docs-platform/simulator";

const hour = 3_600_000;

describe("the stack", () => {
  let test: TestStack;
  before(async () => {
    test = await startTestStack(__dirname, { queueTime: 0, jobTime: 0, linkLife: hour });
  });
  after(() => test.close());

  it("starts one export", async () => {
    await test.stack.up();
    assert.deepEqual([test.platform.starts, test.platform.counts.createBundle], [1, 1]);
  });

  it("renews an expired link by one request, and keeps its version", async () => {
    const before = await test.stack.outputs();
    test.passTime(hour);
    test.platform.resetCounts();
    const { outputs } = await test.stack.up();
    assert.deepEqual([test.platform.requests.length, test.platform.counts.createBundle], [1, 1]);
    assert.equal(outputs.version?.value, before.version?.value);
    assert.notEqual(outputs.expiresAt?.value, before.expiresAt?.value);
  });

  it("sends nothing in a run that changes nothing", async () => {
    test.platform.resetCounts();
    await test.stack.up({ expectNoChanges: true });
    assert.equal(test.platform.requests.length, 0);
  });

  it("exports a new revision once, also where the first answer is 503", async () => {
    test.platform.resetCounts();
    test.platform.inject({ operation: "startExport", kind: "status", status: 503, headers: { "retry-after": "0" } });
    await test.stack.setConfig("revision", { value: "2" });
    await test.stack.up();
    assert.deepEqual([test.platform.counts.startExport, test.platform.starts], [2, 1]);
  });
});
