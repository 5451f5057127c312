import { expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";
import { hostileTexts } from "../../support/hostileText";

it("what a platform says of a failed job is shown by the engine, and neither ends a line nor controls a terminal", async () => {
  const hostile = hostileTexts.join("x");
  const platform = await testPlatform({ failJobs: hostile });
  const stack = await testStack(platform);
  const { code, output } = await stack.up();
  expect(code).toEqual(anError);
  expect(output).toContain("DOCS_JOB_FAILED");
  expect(output).toContain("stop-commands");
  for (const line of output.split("\n")) {
    expect(line).not.toMatch(/^\s*::/);
    expect(line).not.toMatch(/##\w*\[/);
    // The tabs are the engine's own.
    expect(line.replaceAll("\t", "").trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});
