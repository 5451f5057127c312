import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import type { EngineStack, Run } from "../../support/engineStack";
import { look, mint, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";

const declared = { ...siteAndBundle, bundle: { verifyLink: true } };
const refuse = (platform: Platform, count: number) =>
  platform.inject({ operation: "download", kind: "status", status: 403, count });

const mints = ({ requests }: Run) => requests.filter((request) => request.endsWith("/bundle")).length;

/** How the links of a run were requested: the answers, and whether a request carried the key. */
async function probes(
  platform: Platform,
  run: Promise<Run>,
): Promise<{ run: Run; answers: number[]; withKey: boolean }> {
  const before = platform.counts.download;
  const ended = await run;
  const seen = platform.requests.filter(({ operation }) => operation === "download").slice(before);
  return { run: ended, answers: seen.map(({ status }) => status), withKey: seen.some(({ authorized }) => authorized) };
}

async function withJob(): Promise<{ platform: Platform; stack: EngineStack }> {
  const platform = await testPlatform();
  const stack = await testStack(platform, declared);
  return { platform, stack };
}

describe("verifyLink", () => {
  // The other answers of the storage: test/unit/provider/resources/verifyLink.test.ts.
  it("mints one more where the storage refuses the link, in a first run and in a refresh, and costs nothing otherwise", async () => {
    const { platform, stack } = await withJob();
    refuse(platform, 1);
    const first = await probes(platform, stack.up());
    expect({ code: first.run.code, answers: first.answers, mints: mints(first.run) }).toEqual({
      code: 0,
      answers: [403, 206],
      mints: 2,
    });
    expect(await probes(platform, stack.up("--expect-no-changes"))).toMatchObject({
      run: { code: 0, requests: [] },
      answers: [],
    });
    const { jobId, bundleUrl } = await stack.outputs();
    const good = await probes(platform, stack.refresh());
    expect(good).toMatchObject({ run: { code: 0, requests: [look(jobId)] }, answers: [206], withKey: false });
    // A link that the storage refuses is renewed before its end.
    refuse(platform, 1);
    const { run, answers } = await probes(platform, stack.refresh());
    expect({ code: run.code, answers, requests: run.requests.toSorted() }).toEqual({
      code: 0,
      answers: [403, 206],
      requests: [look(jobId), mint(jobId)].toSorted(),
    });
    expect((await stack.outputs()).bundleUrl).toBe(bundleUrl);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [] });
    expect((await stack.outputs()).bundleUrl).not.toBe(bundleUrl);
  });
});
