import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { variant } from "../support/campaign";
import type { EngineStack, Run } from "../support/engineStack";
import { anError, look, mint, siteAndBundle, stackAfterUp, testPlatform, testStack } from "../support/engineTest";

const declared = { ...siteAndBundle, bundle: { verifyLink: true } };
const refuse = (platform: Platform, count: number) =>
  platform.inject({ operation: "download", kind: "status", status: 403, count });

const mints = ({ requests }: Run) => requests.filter((request) => request.endsWith("/bundle")).length;

/** How a run's links were asked for: the answers, and whether the key went with one. */
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
  it("asks the storage for one byte at each mint, never with the key, and costs nothing while nothing changes", async () => {
    const { platform, stack } = await withJob();
    const first = await probes(platform, stack.up());
    expect(first).toMatchObject({ run: { code: 0 }, answers: [206], withKey: false });
    expect(mints(first.run)).toBe(1);
    expect(await probes(platform, stack.up("--expect-no-changes"))).toMatchObject({
      run: { code: 0, requests: [] },
      answers: [],
    });
  });

  it("mints one more where the storage refuses the link", async () => {
    const { platform, stack } = await withJob();
    refuse(platform, 1);
    const { run, answers } = await probes(platform, stack.up());
    expect({ code: run.code, answers, mints: mints(run) }).toEqual({ code: 0, answers: [403, 206], mints: 2 });
  });

  variant(
    "is DOCS_LINK_REFUSED where it refuses two in a row; the export stays, and the next run tries again",
    async () => {
      const { platform, stack } = await withJob();
      refuse(platform, 2);
      const { run, answers } = await probes(platform, stack.up());
      expect({ code: run.code, answers, mints: mints(run) }).toEqual({ code: anError, answers: [403, 403], mints: 2 });
      expect(run.output).toContain("DOCS_LINK_REFUSED");
      expect(run.output).not.toContain("X-Amz-Signature=");
      const { jobId } = (await stack.state("site"))?.outputs ?? {};
      expect(await stack.state("bundle")).toBeUndefined();
      expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
      expect(platform.starts).toBe(1);
    },
  );

  it("warns where the storage answers neither yes nor no, and keeps the link", async () => {
    const { platform, stack } = await withJob();
    platform.inject({ operation: "download", kind: "status", status: 404 });
    const { run, answers } = await probes(platform, stack.up());
    expect({ code: run.code, answers, mints: mints(run) }).toEqual({ code: 0, answers: [404], mints: 1 });
    expect(run.output).toContain("the link could not be verified: the storage gave HTTP 404");
  });

  it("in a refresh, leaves a good link and renews one that the storage refuses, though it has not expired", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform, declared);
    const { jobId, bundleUrl } = await stack.outputs();
    const good = await probes(platform, stack.refresh());
    expect(good).toMatchObject({ run: { code: 0, requests: [look(jobId)] }, answers: [206], withKey: false });
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

  variant("turned on or off alone, is an update that costs no request", async () => {
    const platform = await testPlatform();
    const stack = await stackAfterUp(platform);
    for (const verifyLink of [true, false]) {
      stack.declare({ ...siteAndBundle, bundle: { verifyLink } });
      const { run, answers } = await probes(platform, stack.up());
      expect({ code: run.code, requests: run.requests, answers }).toEqual({ code: 0, requests: [], answers: [] });
    }
  });
});
