import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../simulator";
import { writeProgress } from "../../../simulator/dialect";
import { getJob, makeBundle, platformFor, startJob } from "./support";

test.each([200, 201, 202] as const)("startStatus %i answers a start", async (startStatus) => {
  const answer = await startJob(await platformFor({ dialect: { startStatus } }));
  expect([answer.status, answer.json.jobId]).toEqual([startStatus, expect.any(String)]);
});

test("runningStatus is the word for a job that runs, and for nothing else", async () => {
  const platform = await platformFor({ queueTime: 1e9, jobTime: 1e9, dialect: { runningStatus: "PRE_RENDERING" } });
  const words = (["queued", "running", "completed"] as const).map(async (status) => {
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status });
    return (await getJob(platform, jobId)).json.status;
  });
  expect(await Promise.all(words)).toEqual(["queued", "PRE_RENDERING", "completed"]);
});

describe("progress", () => {
  test.each<[Dialect["progress"], unknown]>([
    ["percent", 42],
    ["fraction", 0.42],
    ["text", "42%"],
    ["object", { completed: 5, total: 12 }],
    ["none", undefined],
  ])("%s writes a share of 0.4251 in its own way, rounded down", (style, expected) => {
    expect(writeProgress(style, 0.4251, { completed: 5, total: 12 })).toEqual(expected);
  });

  test.each<[Dialect["progress"], unknown]>([
    ["percent", 0],
    ["fraction", 0],
    ["text", "0%"],
    ["object", { completed: 0, total: expect.any(Number) }],
    ["none", undefined],
  ])("%s is told while queued and while running, never after the end", async (progress, expected) => {
    const platform = await platformFor({ queueTime: 1e9, jobTime: 1e9, dialect: { progress } });
    for (const status of ["queued", "running", "completed", "failed"] as const) {
      const { jobId } = platform.jobs.add({ domain: "docs.example.com", status });
      const told = (await getJob(platform, jobId)).json.progress;
      expect(told).toEqual(status === "queued" || status === "running" ? expected : undefined);
    }
  });
});

describe("expiresAt", () => {
  test.each<[Dialect["expiresAt"], RegExp, (told: string | number) => number]>([
    ["iso", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, (told) => Date.parse(String(told))],
    ["isoNoOffset", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/, (told) => Date.parse(`${told}Z`)],
    ["isoOffset", /T\d\d:\d\d:\d\d\.\d{3}\+02:00$/, (told) => Date.parse(String(told))],
    ["epochSeconds", /^\d{10}$/, (told) => Number(told) * 1000],
    ["epochMilliseconds", /^\d{13}$/, (told) => Number(told)],
  ])("%s tells the same point in time", async (expiresAt, pattern, read) => {
    const platform = await platformFor({ linkLife: 60_000 });
    platform.dialect.expiresAt = expiresAt;
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const told = (await makeBundle(platform, jobId)).json.expiresAt as string | number;
    expect(String(told)).toMatch(pattern);
    expect(typeof told).toBe(expiresAt.startsWith("epoch") ? "number" : "string");
    expect(Math.abs(read(told) - (Date.now() + 60_000))).toBeLessThan(5_000);
  });
});

test("pageCount can be left out", async () => {
  const platform = await platformFor({ dialect: { pageCount: false } });
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  expect((await getJob(platform, jobId)).json).not.toHaveProperty("pageCount");
});

test("times tells when a job has started and ended", async () => {
  const platform = await platformFor({ queueTime: 1e9, dialect: { times: true } });
  const queued = platform.jobs.add({ domain: "docs.example.com" }).jobId;
  const completed = platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId;
  expect((await getJob(platform, queued)).json).not.toHaveProperty("startedAt");
  const { startedAt, completedAt } = (await getJob(platform, completed)).json;
  expect(Date.parse(String(startedAt))).toBeLessThanOrEqual(Date.parse(String(completedAt)));
});

test("without extra fields, bodies have only what the API text names", async () => {
  const platform = await platformFor({ dialect: { extraFields: false } });
  const started = await startJob(platform);
  expect(Object.keys(started.json)).toEqual(["jobId"]);
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  expect(Object.keys((await getJob(platform, jobId)).json)).toEqual(["jobId", "status", "pageCount"]);
  expect(Object.keys((await makeBundle(platform, jobId)).json)).toEqual(["bundleUrl", "expiresAt"]);
});

test("with extra fields, a bundle tells its size", async () => {
  const platform = await platformFor();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  expect((await makeBundle(platform, jobId)).json.sizeBytes).toEqual(expect.any(Number));
});
