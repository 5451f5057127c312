import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../simulator";
import { until } from "../../support/until";
import { callApi, fetchUrl, getJob, jobsPath, linkOf, makeBundle, platformFor, startJob } from "./support";

const json = { "content-type": "application/json" };
const operations = [
  ["POST", jobsPath],
  ["GET", `${jobsPath}/unknown`],
  ["POST", `${jobsPath}/unknown/bundle`],
  ["POST", "/v2/agent/docs/job/unknown/message"],
  ["GET", "/v2/agent/docs/job/unknown"],
] as const;

test("every operation is 401 without the key, before anything else, and so is any other path or method", async () => {
  const platform = await platformFor();
  for (const [method, path] of [...operations, ["PUT", jobsPath], ["GET", "/v1/unknown"]] as const) {
    const authorizations = ["Bearer svc_wrong", `Bearer ${platform.apiKey}x`, `Basic ${platform.apiKey}`];
    for (const headers of [{}, ...authorizations.map((authorization) => ({ authorization }))]) {
      const answer = await callApi(platform, path, { method, key: null, headers });
      expect([answer.status, answer.json]).toEqual([401, { error: expect.any(String) }]);
      expect(answer.text).not.toContain(platform.apiKey);
    }
  }
});

test("the key has 32 random hexadecimal digits unless it is given, and can be rotated", async () => {
  const platform = await platformFor();
  const old = platform.apiKey;
  expect(old).toMatch(/^svc_[0-9a-f]{32}$/);
  platform.apiKey = "svc_new";
  expect((await callApi(platform, `${jobsPath}/any`, { key: old })).status).toBe(401);
  expect((await callApi(platform, `${jobsPath}/any`, { key: "svc_new" })).status).toBe(404);
});

test("a start with a body that is no domain is 400 and starts nothing", async () => {
  const platform = await platformFor();
  const domains = [
    "",
    " ",
    7,
    "https://docs.example.com",
    "docs.example.com/path",
    "docs.example.com:443",
    "docs..example.com",
    "-docs.example.com",
    `${"a.".repeat(127)}com`,
  ];
  for (const body of ["", "{", "null", "[]", "{}", ...domains.map((domain) => JSON.stringify({ domain }))]) {
    const answer = await callApi(platform, jobsPath, { method: "POST", headers: json, body });
    expect([body, answer.status, answer.json]).toEqual([body, 400, { error: expect.any(String) }]);
  }
  expect(platform.jobs.list()).toEqual([]);
});

test("an operation answers 404, 409 or 415 to what it cannot do, and 405 with the methods that it allows", async () => {
  const platform = await platformFor({ queueTime: 1e9, jobTime: 1e9 });
  for (const status of ["queued", "running"] as const) {
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status });
    const answer = await makeBundle(platform, jobId);
    expect([answer.status, answer.json]).toEqual([409, { error: `The job is ${status}, not completed` }]);
  }
  for (const [method, path, status, allowed] of [
    ["GET", `${jobsPath}/nope`, 404, undefined],
    ["POST", `${jobsPath}/nope/bundle`, 404, undefined],
    ["GET", "/", 404, undefined],
    ["GET", `${jobsPath}/a/b`, 404, undefined],
    ["POST", jobsPath, 415, undefined],
    ["POST", "/v2/agent/docs/job/any/message", 415, undefined],
    ["GET", jobsPath, 405, "POST"],
    ["HEAD", `${jobsPath}/any`, 405, "GET"],
    ["GET", `${jobsPath}/any/bundle`, 405, "POST"],
    ["PUT", "/v2/agent/docs/job/any", 405, "GET"],
  ] as const) {
    const answer = await callApi(platform, path, { method, ...(status === 415 && { body: "domain=x" }) });
    expect([path, answer.status, answer.headers.allow]).toEqual([path, status, allowed]);
    expect(method === "HEAD" || typeof answer.json.error === "string").toBe(true);
  }
});

test("bodies have what the API text names, and more unless extraFields is false", async () => {
  for (const extraFields of [true, false]) {
    const platform = await platformFor({ extraFields });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const bodies = [await startJob(platform), await getJob(platform, jobId), await makeBundle(platform, jobId)];
    const named = [["jobId"], ["jobId", "status", "pageCount"], ["bundleUrl", "expiresAt"]];
    const more = [
      ["status", "domain"],
      ["domain", "createdAt"],
      ["sizeBytes", "jobId"],
    ];
    expect(bodies.map((answer) => Object.keys(answer.json))).toEqual(
      named.map((names, index) => [...names, ...(extraFields ? [...(more[index] ?? []), "requestId"] : [])]),
    );
  }
});

test("clockOffset shifts the Date header, the timestamps and expiresAt together", async () => {
  const hour = 3_600_000;
  const platform = await platformFor({ clockOffset: -hour, times: true, linkLife: 60_000 });
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const job = await getJob(platform, jobId);
  // This request has a content type, and the next one has none. The platform accepts both.
  const made = await callApi(platform, `${jobsPath}/${jobId}/bundle`, { method: "POST", headers: json });
  const bundle = await makeBundle(platform, jobId);
  const signed = new URL(String(made.json.bundleUrl)).searchParams.get("X-Amz-Date") ?? "";
  const iso = signed.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const { startedAt, completedAt, createdAt } = job.json;
  const expiry = new Date(Date.parse(String(bundle.json.expiresAt)) - 60_000).toISOString();
  for (const time of [job.headers.date, startedAt, completedAt, createdAt, iso, expiry].map(String)) {
    expect(Math.abs(Date.parse(time) - (Date.now() - hour))).toBeLessThan(5_000);
  }
  expect((await fetchUrl(String(bundle.json.bundleUrl))).status).toBe(200);
});

describe("the request log", () => {
  test("shows operation, path without query, status and whether the key was carried", async () => {
    const platform = await platformFor();
    const link = await linkOf(platform);
    await startJob(platform);
    platform.resetCounts();
    expect([platform.starts, platform.requests]).toEqual([0, []]);
    await callApi(platform, `${jobsPath}/nope`);
    await callApi(platform, `${jobsPath}/nope`, { key: null });
    await fetchUrl(link);
    const [first, second, third] = platform.requests;
    expect(first).toMatchObject({ operation: "getExport", method: "GET", status: 404, authorized: true });
    expect(second).toMatchObject({ operation: "getExport", status: 401, authorized: false });
    expect(third).toMatchObject({ operation: "download", status: 200, authorized: false });
    expect(third?.path).toMatch(/^\/bundles\/[^?]+\.tar\.gz$/);
    expect(platform.counts).toMatchObject({ getExport: 2, download: 1, startExport: 0, other: 0 });
  });

  test("calls listeners for each request once it is over", async () => {
    const platform = await platformFor();
    const seen: RequestRecord[] = [];
    platform.on("request", (record) => void seen.push(record));
    platform.inject({ operation: "startExport", kind: "reset" });
    await expect(startJob(platform)).rejects.toThrow();
    await startJob(platform);
    await until(() => seen.length === 2);
    expect(seen.map(({ status }) => status)).toEqual([0, 201]);
    expect(platform.counts.startExport).toBe(2);
  });

  test("writes one line a request, whatever its path holds, and never a key or a signature", async () => {
    const lines: string[] = [];
    const platform = await platformFor({ log: (line) => lines.push(line) });
    const link = await linkOf(platform);
    await fetchUrl(link);
    await callApi(platform, `/v1/${platform.apiKey}?key=${platform.apiKey}`);
    await callApi(platform, `${jobsPath}/a%0d%0aGET%20%2Fforged%E2%80%A8%1b[2J`);
    await until(() => lines.length === 4);
    const signature = new URL(link).searchParams.get("X-Amz-Signature") ?? "none";
    expect(lines.join("\n")).not.toContain(platform.apiKey);
    expect(lines.join("\n")).not.toContain(signature);
    expect(lines[1]).toMatch(/^GET \/bundles\/\S+\.tar\.gz 200 \d+ ms$/);
    expect(lines[3]).toMatch(/^GET \S+\/a%0D%0AGET %2Fforged%E2%80%A8%1B\[2J 404 \d+ ms$/);
  });
});
