import { describe, expect, test } from "vitest";
import { maxLoggedRequests, RequestLog } from "../../../simulator/requests/requestLog";
import { callApi, fetchUrl, getJob, jobsPath, platformFor } from "./support";

describe("a request that comes by another host's name, as by DNS rebinding", () => {
  test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "[::2]", "x@127.0.0.1"])(
    "is refused, with the key too: %s",
    async (name) => {
      const platform = await platformFor();
      const host = `${name}:${new URL(platform.baseUrl).port}`;
      for (const path of [`${jobsPath}/x`, "/openapi.json", "/bundles/x.tar.gz"]) {
        // For a malformed host, Node.js answers 400 before the platform sees the request.
        expect([400, 421], path).toContain((await callApi(platform, path, { headers: { host } })).status);
      }
    },
  );

  test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"])(
    "is served where it is this machine's: %s",
    async (name) => {
      const platform = await platformFor();
      const host = `${name}:${new URL(platform.baseUrl).port}`;
      expect((await fetchUrl(`${platform.baseUrl}/openapi.json`, { headers: { host } })).status).toBe(200);
    },
  );
});

describe("a request of a web page", () => {
  test.each(["https://evil.example", "http://localhost:3000", "null"])(
    "of another origin is refused: %s",
    async (origin) => {
      const platform = await platformFor();
      const answer = await callApi(platform, `${jobsPath}/x`, { headers: { origin } });
      expect([answer.status, answer.json.error]).toEqual([403, expect.stringContaining("another origin")]);
    },
  );

  test("is served if it comes from the platform's own origin", async () => {
    const platform = await platformFor();
    expect((await callApi(platform, `${jobsPath}/x`, { headers: { origin: platform.baseUrl } })).status).toBe(404);
  });
});

describe("a fault", () => {
  test("is not used up by whoever has no key, comes by another name, or is a page of another origin", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "getExport", kind: "status", status: 503 });
    const path = `${jobsPath}/x`;
    const refused = [
      await callApi(platform, path, { key: null }),
      await callApi(platform, path, { key: "svc_wrong" }),
      await callApi(platform, path, { headers: { host: "evil.example" } }),
      await callApi(platform, path, { headers: { origin: "https://evil.example" } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 421, 403]);
    expect((await getJob(platform, "x")).status).toBe(503);
  });
});

test("the log of requests keeps the latest, within a bound, and counts them all", () => {
  const log = new RequestLog();
  const record = { operation: "other", method: "GET", path: "/", at: 0, authorized: false } as const;
  for (let at = 0; at <= maxLoggedRequests; at += 1) {
    log.add({ ...record, at });
  }
  expect(log.records.length).toBeLessThanOrEqual(maxLoggedRequests);
  expect(log.records.at(-1)?.at).toBe(maxLoggedRequests);
  expect(log.counts.other).toBe(maxLoggedRequests + 1);
});
