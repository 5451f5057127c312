import { expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";

// Each resource's required inputs: test/protocol/refused.test.ts.
it("a required input that is undefined, as an output that another stack does not have, is refused by its name", async () => {
  const stack = await testStack(await testPlatform(), { bundle: {} });
  const { code, output, requests } = await stack.up();
  expect(code).toEqual(anError);
  expect(output).toContain(
    "ExportBundle resource 'bundle': property jobId value {<nil>} has a problem: DOCS_CONFIGURATION: is required",
  );
  expect(output).not.toMatch(/Unexpected struct type|^ +at /m);
  expect(requests).toEqual([]);
});
