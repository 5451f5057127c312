import { describe, expect, it } from "vitest";
import { expectFirstRun, testPlatform, testStack } from "../../support/engineTest";

describe("the first run", () => {
  it("costs one start, the polls and one bundle, and gives every output; the next ones cost nothing, and neither does destroy", async () => {
    const platform = await testPlatform({ dialect: { times: false } });
    const stack = await testStack(platform);
    const { values, bundleUrl, version } = await expectFirstRun(stack);
    // Finds the error at the line of the program, not at a line of this package.
    expect(await stack.state("site")).toMatchObject({
      sourcePosition: expect.stringMatching(/^project:\/\/\/index\.js#/),
    });
    expect(values).toEqual({ staticExport: { enabled: true, bundleUrl, version } });

    const before = await stack.outputs();
    const again = await stack.up("--expect-no-changes");
    expect(again).toMatchObject({ code: 0, requests: [] });
    expect(again.output).toContain("3 unchanged");
    expect(await stack.outputs()).toEqual(before);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.resources()).toEqual([]);
  });

  it("looks at once: a job that is completed by then costs one poll", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const run = await (await testStack(platform)).up();
    expect(run.requests.map((request) => request.split(" ")[0])).toEqual(["POST", "GET", "POST"]);
  });

  it("shows the job's progress on the resource's own row", async () => {
    const platform = await testPlatform({ jobTime: 3_000 });
    const { output } = await (await testStack(platform)).up();
    expect(output).toMatch(
      /StaticExport site creating \S+ \d+ %( \d+s left)?, running, \d+s elapsed, \d+ pages?, docs\.example\.com, job/,
    );
  });

  it("is previewed without any request, with what only a real run can know shown as unknown", async () => {
    const stack = await testStack(await testPlatform());
    const { code, output, requests } = await stack.preview();
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(output).toMatch(/jobId\s*: \[unknown\]/);
  });
});
