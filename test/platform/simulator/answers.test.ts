import { Agent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestRecord } from "../../../simulator";
import { until } from "../../support/until";
import { callApi, fetchUrl, getJob, jobsPath, linkOf, makeBundle, platformFor, startJob } from "./support";

const json = { "content-type": "application/json" };

describe("the key", () => {
  const routes = [
    ["POST", jobsPath],
    ["GET", `${jobsPath}/unknown`],
    ["POST", `${jobsPath}/unknown/bundle`],
    ["PUT", jobsPath],
    ["GET", "/v1/unknown"],
  ] as const;

  test.each(routes)("%s %s without it, or with a wrong one, is 401 before anything else", async (method, path) => {
    const platform = await platformFor();
    for (const key of [null, "svc_wrong", `${platform.apiKey}x`]) {
      const answer = await callApi(platform, path, { method, key });
      expect([answer.status, answer.json]).toEqual([401, { error: expect.any(String) }]);
      expect(answer.text).not.toContain(platform.apiKey);
    }
    const basic = await callApi(platform, path, { method, headers: { authorization: `Basic ${platform.apiKey}` } });
    expect(basic.status).toBe(401);
  });

  test("has 32 random hexadecimal digits unless it is given, and can be rotated", async () => {
    const platform = await platformFor();
    const old = platform.apiKey;
    expect(old).toMatch(/^svc_[0-9a-f]{32}$/);
    platform.apiKey = "svc_new";
    expect((await callApi(platform, `${jobsPath}/any`, { key: old })).status).toBe(401);
    expect((await callApi(platform, `${jobsPath}/any`, { key: "svc_new" })).status).toBe(404);
  });
});

describe("errors", () => {
  test.each([
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"domain":""}',
    '{"domain":" "}',
    '{"domain":7}',
    '{"domain":"https://docs.example.com"}',
    '{"domain":"docs.example.com/path"}',
    '{"domain":"docs.example.com:443"}',
    '{"domain":"docs..example.com"}',
    '{"domain":"-docs.example.com"}',
    `{"domain":"${"a.".repeat(127)}com"}`,
  ])("a start with the body %s is 400 and starts nothing", async (body) => {
    const platform = await platformFor();
    const answer = await callApi(platform, jobsPath, { method: "POST", headers: json, body });
    expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
    expect(platform.jobs.list()).toEqual([]);
  });

  test("an unknown job is 404 for its status and its bundle", async () => {
    const platform = await platformFor();
    for (const answer of [await getJob(platform, "nope"), await makeBundle(platform, "nope")]) {
      expect([answer.status, answer.json]).toEqual([404, { error: "Job not found" }]);
    }
  });

  test.each(["queued", "running"] as const)("the bundle of a %s job is 409", async (status) => {
    const platform = await platformFor({ queueTime: 1e9, jobTime: 1e9 });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status });
    const answer = await makeBundle(platform, jobId);
    expect([answer.status, answer.json]).toEqual([409, { error: `The job is ${status}, not completed` }]);
  });

  test("an unknown route is 404", async () => {
    const platform = await platformFor();
    for (const path of ["/", "/v1/static-export", "/v2/agent/p/job/j", `${jobsPath}/a/b`]) {
      const answer = await callApi(platform, path);
      expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
    }
  });

  test.each([
    ["GET", jobsPath, "POST"],
    ["DELETE", `${jobsPath}/any`, "GET"],
    ["HEAD", `${jobsPath}/any`, "GET"],
    ["GET", `${jobsPath}/any/bundle`, "POST"],
  ])("%s %s is 405 and allows %s", async (method, path, allowed) => {
    const answer = await callApi(await platformFor(), path, { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, allowed]);
  });
});

test("a bundle is made with or without a content type", async () => {
  const platform = await platformFor();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const path = `${jobsPath}/${jobId}/bundle`;
  expect((await callApi(platform, path, { method: "POST" })).status).toBe(200);
  expect((await callApi(platform, path, { method: "POST", headers: json })).status).toBe(200);
});

test("clockOffset shifts the Date header, the timestamps and expiresAt together", async () => {
  const hour = 3_600_000;
  const platform = await platformFor({ clockOffset: -hour, dialect: { times: true }, linkLife: 60_000 });
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const job = await getJob(platform, jobId);
  const bundle = await makeBundle(platform, jobId);
  const signed = new URL(String(bundle.json.bundleUrl)).searchParams.get("X-Amz-Date") ?? "";
  const iso = signed.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const expiry = Date.parse(String(bundle.json.expiresAt)) - 60_000;
  for (const time of [job.headers.date, job.json.completedAt, job.json.createdAt, iso].map(String)) {
    expect(Math.abs(Date.parse(time) - (Date.now() - hour))).toBeLessThan(5_000);
  }
  expect(Math.abs(expiry - (Date.now() - hour))).toBeLessThan(5_000);
  expect((await fetchUrl(String(bundle.json.bundleUrl))).status).toBe(200);
});

describe("the request log", () => {
  test("tells operation, path without query, status, connection and whether the key was carried", async () => {
    const platform = await platformFor();
    const agent = new Agent({ connections: 1 });
    onTestFinished(() => agent.destroy());
    const link = await linkOf(platform);
    platform.resetCounts();
    await callApi(platform, `${jobsPath}/nope`, {}, agent);
    await callApi(platform, `${jobsPath}/nope`, { key: null }, agent);
    await fetchUrl(link);
    const [first, second, third] = platform.requests;
    expect(first).toMatchObject({ operation: "getExport", method: "GET", status: 404, authorized: true });
    expect(second).toMatchObject({ operation: "getExport", status: 401, authorized: false });
    expect(third).toMatchObject({ operation: "download", status: 200, authorized: false });
    expect(third?.path).toMatch(/^\/bundles\/[^?]+\.tar\.gz$/);
    expect(second?.connection).toBe(first?.connection);
    expect(third?.connection).not.toBe(first?.connection);
    expect(platform.counts).toMatchObject({ getExport: 2, download: 1, startExport: 0, other: 0 });
  });

  test("tells listeners of each request once it is over, until they are taken away", async () => {
    const platform = await platformFor();
    const seen: RequestRecord[] = [];
    const listener = (record: RequestRecord) => void seen.push(record);
    platform.on("request", listener);
    platform.inject({ operation: "startExport", kind: "reset" });
    await expect(startJob(platform)).rejects.toThrow();
    await startJob(platform);
    await until(() => seen.length === 2);
    platform.off("request", listener);
    await startJob(platform);
    expect(seen.map(({ status }) => status)).toEqual([0, 201]);
    expect(platform.counts.startExport).toBe(3);
  });

  test("never writes a key or a signature", async () => {
    const lines: string[] = [];
    const platform = await platformFor({ log: (line) => lines.push(line) });
    const link = await linkOf(platform);
    await fetchUrl(link);
    await callApi(platform, `/v1/${platform.apiKey}?key=${platform.apiKey}`);
    await until(() => lines.length === 3);
    const signature = new URL(link).searchParams.get("X-Amz-Signature") ?? "none";
    expect(lines.join("\n")).not.toContain(platform.apiKey);
    expect(lines.join("\n")).not.toContain(signature);
    expect(lines[1]).toMatch(/^GET \/bundles\/\S+\.tar\.gz 200 \d+ ms$/);
  });

  test("writes one line a request, whatever its path holds", async () => {
    const lines: string[] = [];
    const platform = await platformFor({ log: (line) => lines.push(line) });
    await callApi(platform, `${jobsPath}/a%0d%0aGET%20%2Fforged%E2%80%A8%1b[2J`);
    await until(() => lines.length === 1);
    expect(lines[0]).toMatch(/^GET \S+\/a%0D%0AGET %2Fforged%E2%80%A8%1B\[2J 404 \d+ ms$/);
  });
});
