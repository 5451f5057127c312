import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporaryFolder";
import { until } from "../../support/until";
import { callApi, getJob, jobsPath, makeBundle, platformFor, startJob } from "./support";

describe("a job", () => {
  test("goes from queued over running to completed, its progress and page count never falling", async () => {
    const platform = await platformFor({ queueTime: 200, jobTime: 300 });
    const begun = performance.now();
    const { jobId } = (await startJob(platform)).json;
    const seen: { status: unknown; progress: unknown; pageCount: unknown }[] = [];
    await until(async () => {
      const { status, progress, pageCount } = (await getJob(platform, jobId)).json;
      seen.push({ status, progress, pageCount });
      return status === "completed";
    });
    expect(performance.now() - begun).toBeGreaterThan(490);
    expect([...new Set(seen.map(({ status }) => status))]).toEqual(["queued", "running", "completed"]);
    expect(seen[0]).toEqual({ status: "queued", progress: 0, pageCount: 0 });
    const running = seen.filter(({ status }) => status === "running").map(({ progress }) => Number(progress));
    expect(running).toEqual([...running].sort((a, b) => a - b));
    expect(running.every((progress) => progress >= 0 && progress < 100)).toBe(true);
    const pages = seen.map(({ pageCount }) => Number(pageCount));
    expect(pages).toEqual([...pages].sort((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ status: "completed", progress: undefined, pageCount: expect.any(Number) });
    expect(pages.at(-1)).toBeGreaterThan(0);
  });

  test("never ends with an infinite jobTime, until a test completes it", async () => {
    const platform = await platformFor({ jobTime: Number.POSITIVE_INFINITY });
    const { jobId } = (await startJob(platform)).json;
    await until(() => platform.jobs.get(String(jobId))?.status === "running");
    expect((await getJob(platform, jobId)).json).toMatchObject({ status: "running", progress: 0 });
    platform.jobs.complete(String(jobId));
    expect((await getJob(platform, jobId)).json).toMatchObject({ status: "completed" });
    expect((await makeBundle(platform, jobId)).status).toBe(200);
  });

  test("ends failed with the text of failJobs, without progress, and has no bundle", async () => {
    const platform = await platformFor({ failJobs: "page api.md: bad include" });
    const { jobId } = (await startJob(platform)).json;
    await until(() => platform.jobs.get(String(jobId))?.status === "failed");
    const { json } = await getJob(platform, jobId);
    expect(json).toMatchObject({ status: "failed", error: "page api.md: bad include" });
    expect(json).not.toHaveProperty("progress");
    const bundle = await makeBundle(platform, jobId);
    expect([bundle.status, bundle.json]).toEqual([409, { error: "The job is failed, not completed" }]);
  });

  test("can be added, completed, failed and forgotten without an API call", async () => {
    const platform = await platformFor({ jobTime: Number.POSITIVE_INFINITY });
    const { jobId } = platform.jobs.add({ domain: "a.example.com", status: "running" });
    expect((await getJob(platform, jobId)).json).toMatchObject({ jobId, status: "running", domain: "a.example.com" });
    platform.jobs.fail(jobId, "out of space");
    expect((await getJob(platform, jobId)).json).toMatchObject({ status: "failed", error: "out of space" });
    platform.jobs.forget(jobId);
    expect((await getJob(platform, jobId)).status).toBe(404);
    expect(platform.jobs.get(jobId)).toBeUndefined();
    expect(() => platform.jobs.complete(jobId)).toThrow("There is no job");
    platform.jobs.add({ domain: "a.example.com", jobId: "mine", status: "failed", error: "why" });
    expect(platform.jobs.list().map((job) => [job.jobId, job.status, job.error])).toEqual([["mine", "failed", "why"]]);
    expect(platform.starts).toBe(0);
  });
});

describe("limits", () => {
  test("oneJobPerDomain: a second start is 409 and names the job, until that one has ended", async () => {
    const platform = await platformFor({ oneJobPerDomain: true, jobTime: Number.POSITIVE_INFINITY });
    const first = (await startJob(platform)).json;
    const second = await startJob(platform, "DOCS.example.com");
    expect([second.status, second.json.jobId]).toEqual([409, first.jobId]);
    expect(second.json.error).toContain(String(first.jobId));
    expect((await startJob(platform, "other.example.com")).status).toBe(201);
    platform.jobs.complete(String(first.jobId));
    expect((await startJob(platform)).status).toBe(201);
    expect(platform.starts).toBe(3);
  });

  test("requestsPerSecond: beyond it 429 with Retry-After, for all operations together and until a second has passed", async () => {
    const platform = await platformFor({ requestsPerSecond: 2 });
    const { jobId } = (await startJob(platform)).json;
    expect((await callApi(platform, `/v1/static-export/jobs/${jobId}`)).status).toBe(200);
    const refused = await startJob(platform);
    expect([refused.status, refused.headers["retry-after"], platform.starts]).toEqual([429, "1", 1]);
    platform.clockOffset += 1_000;
    expect((await startJob(platform)).status).toBe(201);
  });

  test("domains: a start for another deployment is 400", async () => {
    const platform = await platformFor({ domains: ["Docs.Example.com"] });
    expect((await startJob(platform)).status).toBe(201);
    const unknown = await startJob(platform, "other.example.com");
    expect([unknown.status, unknown.json.error]).toEqual([400, expect.stringContaining("other.example.com")]);
  });
});

test("an option out of bounds, a content folder that is not there and a port that is in use reject the start", async () => {
  const wrong = [{ port: 70_000 }, { port: 1.5 }, { jobTime: -1 }, { linkLife: Number.NaN }, { apiKey: "svc_ x" }];
  for (const options of [...wrong, { agentTime: -1 }, { messagesPerHour: Number.NaN }, { clockOffset: Number.NaN }]) {
    await expect(platformFor(options), JSON.stringify(options)).rejects.toThrow(RangeError);
  }
  await expect(platformFor({ content: `${temporaryFolder()}/nowhere` })).rejects.toThrow("nowhere");
  const { baseUrl } = await platformFor();
  await expect(platformFor({ port: Number(new URL(baseUrl).port) })).rejects.toThrow("EADDRINUSE");
});

test("close ends hanging requests at once and may be called twice", async () => {
  const platform = await platformFor({ faults: [{ operation: "getExport", kind: "hang" }] });
  const hanging = callApi(platform, `${jobsPath}/any`).catch((error: Error) => error);
  await until(() => platform.counts.getExport === 1);
  const begun = performance.now();
  await Promise.all([platform.close(), platform.close()]);
  await platform.close();
  expect(await hanging).toBeInstanceOf(Error);
  expect(performance.now() - begun).toBeLessThan(10_000);
});
