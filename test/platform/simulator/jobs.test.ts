import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporaryFolder";
import { until } from "../../support/until";
import { callApi, getJob, jobsPath, makeBundle, platformFor, startJob } from "./support";

const forever = Number.POSITIVE_INFINITY;

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

  test("ends failed with the text of failJobs, without progress, and has no bundle", async () => {
    const platform = await platformFor({ failJobs: "page api.md: bad include" });
    const { jobId } = (await startJob(platform)).json;
    await until(() => platform.jobs.get(String(jobId))?.status === "failed");
    const { json } = await getJob(platform, jobId);
    expect(json).toMatchObject({ status: "failed", error: "page api.md: bad include" });
    expect(json).not.toHaveProperty("progress");
    const noBundle = { status: 409, json: { error: "The job is failed, not completed" } };
    expect(await makeBundle(platform, jobId)).toMatchObject(noBundle);
  });

  test("can be added, completed, failed and forgotten without an API call, and otherwise lasts as jobTime says", async () => {
    const platform = await platformFor({ jobTime: forever });
    const { jobs } = platform;
    const { jobId } = jobs.add({ domain: "a.example.com", status: "running" });
    const shown = async () => (await getJob(platform, jobId)).json;
    expect(await shown()).toMatchObject({ jobId, status: "running", progress: 0, domain: "a.example.com" });
    jobs.complete(jobId);
    expect(await shown()).toMatchObject({ status: "completed" });
    jobs.fail(jobId, "out of space");
    expect(await shown()).toMatchObject({ status: "failed", error: "out of space" });
    jobs.forget(jobId);
    expect((await getJob(platform, jobId)).status).toBe(404);
    expect(jobs.get(jobId)).toBeUndefined();
    expect(() => jobs.complete(jobId)).toThrow("There is no job");
    jobs.add({ domain: "a.example.com", jobId: "mine", status: "failed", error: "why" });
    expect(jobs.list()).toMatchObject([{ jobId: "mine", status: "failed", error: "why" }]);
    expect(platform.starts).toBe(0);
  });
});

describe("limits", () => {
  test("oneJobPerDomain: a second start is 409 and names the job, until that one has ended", async () => {
    const platform = await platformFor({ oneJobPerDomain: true, jobTime: forever });
    const jobId = String((await startJob(platform)).json.jobId);
    const refused = { status: 409, json: { jobId, error: expect.stringContaining(jobId) } };
    expect(await startJob(platform, "DOCS.example.com")).toMatchObject(refused);
    expect((await startJob(platform, "other.example.com")).status).toBe(201);
    platform.jobs.complete(jobId);
    expect((await startJob(platform)).status).toBe(201);
    expect(platform.starts).toBe(3);
  });

  test("requestsPerSecond: beyond it 429 with Retry-After, for all operations together and until a second has passed", async () => {
    const platform = await platformFor({ requestsPerSecond: 2 });
    const { jobId } = (await startJob(platform)).json;
    expect((await getJob(platform, jobId)).status).toBe(200);
    expect(await startJob(platform)).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(platform.starts).toBe(1);
    platform.clockOffset += 1_000;
    expect((await startJob(platform)).status).toBe(201);
  });

  test("domains: a start for another deployment is 400", async () => {
    const platform = await platformFor({ domains: ["Docs.Example.com"] });
    expect((await startJob(platform)).status).toBe(201);
    const unknown = { status: 400, json: { error: expect.stringContaining("other.example.com") } };
    expect(await startJob(platform, "other.example.com")).toMatchObject(unknown);
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
