import { expect, it } from "vitest";
import { testPlatform, testStack } from "../../support/engineTest";

it("a job that is replaced is named when it leaves the state", async () => {
  const stack = await testStack(await testPlatform(), { site: { domain: "docs.example.com", triggers: ["one"] } });
  expect(await stack.up()).toMatchObject({ code: 0 });
  const { jobId } = await stack.outputs();
  stack.declare({ site: { domain: "docs.example.com", triggers: ["two"] } });
  const { code, output } = await stack.up();
  expect(code, output).toBe(0);
  expect(output).toContain(`export job ${jobId} leaves the state; the platform keeps it`);
});
