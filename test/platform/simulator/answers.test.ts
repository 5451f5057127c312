import { describe, expect, test } from "vitest";
import { until } from "../../support/until";
import { callApi, fetchUrl, getJob, jobsPath, linkOf, makeBundle, platformFor, startJob } from "./support";

const json = { "content-type": "application/json" };

test("the key has 32 random hexadecimal digits unless it is given, and can be rotated", async () => {
  const platform = await platformFor();
  const old = platform.apiKey;
  expect(old).toMatch(/^svc_[0-9a-f]{32}$/);
  platform.apiKey = "svc_new";
  expect((await callApi(platform, `${jobsPath}/any`, { key: old })).status).toBe(401);
  expect((await callApi(platform, `${jobsPath}/any`, { key: "svc_new" })).status).toBe(404);
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
