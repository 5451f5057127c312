import { describe, expect, test } from "vitest";
import { fetchUrl, linkOf, makeBundle, platformFor } from "./support";

describe("a signed link", () => {
  test("has the common form, lives 15 minutes by default, and never tells an end before expiresAt", async () => {
    const platform = await platformFor();
    const { origin, pathname, searchParams } = new URL(await linkOf(platform));
    expect(origin).toBe(platform.baseUrl);
    expect(pathname).toMatch(/^\/bundles\/sej_[0-9a-f]{20}\.tar\.gz$/);
    expect(Object.fromEntries(searchParams)).toEqual({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": expect.stringMatching(/^ASIA[0-9A-F]{16}\/\d{8}\/us-east-1\/s3\/aws4_request$/),
      "X-Amz-Date": expect.stringMatching(/^\d{8}T\d{6}Z$/),
      "X-Amz-Expires": "900",
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const [{ jobId } = { jobId: "" }] = platform.jobs.list();
    for (const linkLife of [1, 300, 1_000, 1_001, 90_000]) {
      platform.linkLife = linkLife;
      const { bundleUrl, expiresAt } = (await makeBundle(platform, jobId)).json;
      const query = new URL(String(bundleUrl)).searchParams;
      expect(query.get("X-Amz-Expires")).toBe(String(Math.ceil(linkLife / 1000)));
      const date = String(query.get("X-Amz-Date")).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
      const late = Date.parse(date) + Number(query.get("X-Amz-Expires")) * 1000 - Date.parse(String(expiresAt));
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(2_000);
    }
  });

  test("is fresh with each call, and the older one keeps its own end", async () => {
    const platform = await platformFor({ linkLife: 60_000 });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const old = String((await makeBundle(platform, jobId)).json.bundleUrl);
    expect((await fetchUrl(old)).status).toBe(200);
    platform.clockOffset += 60_000;
    const fresh = String((await makeBundle(platform, jobId)).json.bundleUrl);
    expect(fresh).not.toBe(old);
    const expired = await fetchUrl(old);
    expect([expired.status, expired.headers["content-type"]]).toEqual([403, "application/xml"]);
    expect(expired.text).toContain("<Code>AccessDenied</Code><Message>Request has expired</Message>");
    expect((await fetchUrl(fresh)).status).toBe(200);
  });

  test("with another method, any part changed, or without its signature, is 403", async () => {
    const platform = await platformFor();
    const link = await linkOf(platform);
    for (const method of ["HEAD", "POST"]) {
      expect((await fetchUrl(link, { method })).status).toBe(403);
    }
    const other = platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId;
    const changed = [...new URL(link).searchParams.keys()].map((name) => {
      const url = new URL(link);
      url.searchParams.set(name, name === "X-Amz-Expires" ? "86400" : "0".repeat(64));
      return url.href;
    });
    const unsigned = link.replace(/&X-Amz-Signature=.*/, "");
    for (const url of [...changed, unsigned, `${link}&x=1`, link.replace(/sej_[0-9a-f]+/, other)]) {
      expect([url, (await fetchUrl(url)).status]).toEqual([url, 403]);
    }
  });

  test("with an Authorization header is 400, as there is one auth mechanism at most", async () => {
    const platform = await platformFor();
    const link = await linkOf(platform);
    const answer = await fetchUrl(link, { headers: { authorization: `Bearer ${platform.apiKey}` } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("<Code>InvalidArgument</Code>")]);
    expect(platform.requests.at(-1)).toMatchObject({ operation: "download", authorized: true });
  });
});

describe("Range", () => {
  test("gives the part asked for; beyond the end it is 416, and a range that is not understood is ignored", async () => {
    const link = await linkOf(await platformFor());
    const whole = await fetchUrl(link);
    const { bytes, headers } = whole;
    const size = bytes.length;
    expect(headers).toMatchObject({ "accept-ranges": "bytes", "content-length": String(size) });
    const part = (first: number, last: number) => [206, `bytes ${first}-${last}/${size}`, last - first + 1];
    const answers: Record<string, unknown[]> = {
      "bytes=0-0": part(0, 0),
      "bytes=0-99": part(0, 99),
      "bytes=100-": part(100, size - 1),
      "bytes=-10": part(size - 10, size - 1),
      [`bytes=5-${size + 100}`]: part(5, size - 1),
      [`bytes=${size}-`]: [416, `bytes */${size}`, expect.any(Number)],
      "bytes=-0": [416, `bytes */${size}`, expect.any(Number)],
      ...Object.fromEntries(
        ["bytes=9-3", "lines=0-1", "bytes=-", "bytes=0-1,4-5"].map((range) => [range, [200, undefined, size]]),
      ),
    };
    for (const [range, answer] of Object.entries(answers)) {
      const { status, headers: told, bytes: received } = await fetchUrl(link, { headers: { range } });
      expect([status, told["content-range"], received.length], range).toEqual(answer);
      const first = Number(/^bytes (\d+)-/.exec(String(told["content-range"]))?.[1] ?? 0);
      expect(status === 416 || received.equals(bytes.subarray(first, first + received.length)), range).toBe(true);
    }
  });

  test("is ignored when If-Range names another file", async () => {
    const link = await linkOf(await platformFor());
    const etag = String((await fetchUrl(link)).headers.etag);
    const statuses = [etag, '"other"'].map(async (name) => {
      return (await fetchUrl(link, { headers: { range: "bytes=0-1", "if-range": name } })).status;
    });
    expect(await Promise.all(statuses)).toEqual([206, 200]);
  });
});
