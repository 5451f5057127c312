import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { campaign, variant } from "../support/campaign";
import type { EngineStack } from "../support/engineStack";
import { anError, look, siteAndBundle, start, tally, testPlatform, testStack } from "../support/engineTest";

const wrongKey = "svc_rotated-0123456789";

/** What ends the wait, by the second look at the job, and what the user does about it. */
interface End {
  code: string;
  come(platform: Platform): void;
  go(platform: Platform, stack: EngineStack): void;
}

const fault = (platform: Platform, kind: "reset" | "brokenBody" | "truncate") =>
  platform.inject({ operation: "getExport", kind, after: 1, count: Number.POSITIVE_INFINITY });

const ends: Record<string, End> = {
  "a network that breaks": {
    code: "DOCS_CONNECTION",
    come: (platform) => fault(platform, "reset"),
    go: (platform) => platform.clearFaults(),
  },
  "answers that are cut off": {
    code: "DOCS_CONNECTION",
    come: (platform) => fault(platform, "truncate"),
    go: (platform) => platform.clearFaults(),
  },
  "a broken body": {
    code: "DOCS_RESPONSE_SHAPE",
    come: (platform) => fault(platform, "brokenBody"),
    go: (platform) => platform.clearFaults(),
  },
  "an outage": {
    code: "DOCS_SERVER",
    come: (platform) =>
      platform.inject({
        operation: "getExport",
        kind: "status",
        status: 503,
        after: 1,
        count: Number.POSITIVE_INFINITY,
      }),
    go: (platform) => platform.clearFaults(),
  },
  "a key that was rotated": {
    code: "DOCS_AUTHENTICATION",
    come: (platform) =>
      platform.on("request", ({ operation }) => {
        if (operation === "getExport") {
          platform.apiKey = wrongKey;
        }
      }),
    go: (_, stack) => {
      stack.environment.DOCS_PLATFORM_API_KEY = wrongKey;
    },
  },
};

describe("a wait that is ended by", () => {
  it.each(campaign ? Object.keys(ends) : ["answers that are cut off", "a key that was rotated"])(
    "%s, keeps the job, also through a refresh, and starts none afterwards",
    async (name) => {
      const end = ends[name];
      const platform = await testPlatform({ jobTime: 600_000 });
      const stack = await testStack(platform);
      stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
      end?.come(platform);
      const failed = await stack.up();
      const jobId = String(platform.jobs.list()[0]?.jobId);
      expect(failed.code).toEqual(anError);
      expect(tally(failed.requests)).toEqual({ [start]: 1, [look(jobId)]: 2 });
      expect(failed.output).toContain(end?.code);
      expect(failed.output).toContain(`Exists now: export job ${jobId}, last seen "running"`);
      expect(failed.output).toContain("goes on waiting for this job, and starts none");
      expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId, status: "running" } });

      end?.go(platform, stack);
      expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
      platform.jobs.complete(jobId);
      expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId), expect.stringContaining("/bundle")] });
      expect(await stack.outputs()).toMatchObject({ jobId, status: "completed", version: jobId });
      expect(platform.starts).toBe(1);
      expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    },
  );

  variant("a second failure in the run after, still keeps the job", async () => {
    const platform = await testPlatform({ jobTime: 600_000 });
    const stack = await testStack(platform, { site: siteAndBundle.site ?? {} });
    stack.environment.DOCS_PLATFORM_MAX_RETRIES = "0";
    platform.inject({ operation: "getExport", kind: "reset", count: 2 });
    expect((await stack.up()).code).toEqual(anError);
    const again = await stack.up();
    const jobId = String(platform.jobs.list()[0]?.jobId);
    expect({ code: again.code, requests: again.requests }).toEqual({ code: anError, requests: [look(jobId)] });
    expect(await stack.state("site")).toMatchObject({ id: jobId, outputs: { jobId } });
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(platform.starts).toBe(1);
  });
});
