import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DownloadError } from "../../../../../provider/support/errors";
import { rejection } from "../../../../support/clientUnderTest";
import { answer, closed, type Reply, reset, serve, silence } from "../../../../support/loopback";
import { downloadOf, fetched } from "../../../../support/mirror/downloads";
import { gzipLike, sha256Of, storage } from "../../../../support/mirror/storage";

const bytes = gzipLike(300_000);
const sha256 = sha256Of(bytes);
const etag = '"v1"';
const signed = "?X-Amz-Signature=s3cr3t";

const ranges = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers.range);

describe("a transfer that breaks", () => {
  it("goes on from there by Range, for the same ETag only, and brings the same bytes", async () => {
    const server = await serve(storage(bytes, { etag, cutAfter: 100_000 }), storage(bytes, { etag }));
    const { download, minted } = downloadOf([server.url]);
    expect(await fetched(download)).toEqual({ sha256, begins: 1 });
    expect(ranges(server.requests)).toEqual([undefined, "bytes=100000-"]);
    expect(server.requests[1]?.headers["if-range"]).toBe(etag);
    expect(minted).toHaveLength(1);
  });

  it("goes on by the time of the last change where there is no strong ETag", async () => {
    const lastModified = "Sat, 21 Nov 2026 10:00:00 GMT";
    const server = await serve(
      storage(bytes, { etag: 'W/"v1"', lastModified, cutAfter: 100_000 }),
      storage(bytes, { etag: 'W/"v2"', lastModified }),
    );
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256, begins: 1 });
    expect(server.requests[1]?.headers["if-range"]).toBe(lastModified);
  });

  it("goes on several times", async () => {
    const cut = storage(bytes, { etag, cutAfter: 90_000 });
    const server = await serve(cut, cut, cut, storage(bytes, { etag }));
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256, begins: 1 });
    expect(ranges(server.requests)).toEqual([undefined, "bytes=90000-", "bytes=180000-", "bytes=270000-"]);
  });

  it("begins anew where nothing tells the file from another one", async () => {
    const server = await serve(storage(bytes, { cutAfter: 100_000 }), storage(bytes));
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256, begins: 2 });
    expect(ranges(server.requests)).toEqual([undefined, undefined]);
  });

  it("takes the whole file that a storage without ranges sends, and asks no third time", async () => {
    const server = await serve(
      storage(bytes, { etag, cutAfter: 100_000 }),
      storage(bytes, { etag, withoutRanges: true }),
    );
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256, begins: 2 });
    expect(server.requests).toHaveLength(2);
  });

  it("begins anew, with the other file alone, where the file was changed meanwhile", async () => {
    const other = gzipLike(300_000, 2);
    const server = await serve(storage(bytes, { etag, cutAfter: 100_000 }), storage(other, { etag: '"v2"' }));
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256: sha256Of(other), begins: 2 });
  });

  it.each<[string, Record<string, string>]>([
    ["from another place", { "content-range": "bytes 5-299999/300000" }],
    ["of a file of another size", { "content-range": "bytes 100000-300000/300001" }],
    ["without telling which", {}],
    ["of another ETag", { "content-range": "bytes 100000-299999/300000", etag: '"v2"' }],
  ])("does not take a part %s for the rest", async (_, headers) => {
    const wrong: Reply = (response) => void response.writeHead(206, headers).end(bytes.subarray(100_000));
    const server = await serve(storage(bytes, { etag, cutAfter: 100_000 }), wrong, storage(bytes, { etag }));
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256, begins: 2 });
    expect(server.requests).toHaveLength(3);
  });

  it("is an error after three retries that brought nothing, with the archive told as cut short or the cause", async () => {
    const server = await serve(storage(bytes, { cutAfter: 100_000 }));
    const { download, clock } = downloadOf([server.url + signed]);
    const error = await rejection(fetched(download));
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain("could not be downloaded, even after 3 retries");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(4);
    expect(clock.sleeps).toEqual([500, 1_000, 2_000]);
  });

  it("may break as often as it gets on: each 8 MiB are worth three more retries", async () => {
    const large = gzipLike(50 * 1024 ** 2);
    const server = await serve(storage(large, { etag, cutAfter: 9 * 1024 ** 2 }));
    expect(await fetched(downloadOf([server.url]).download)).toEqual({ sha256: sha256Of(large), begins: 1 });
    expect(server.requests.length).toBeGreaterThan(4);
  });
});

describe("a storage that fails", () => {
  it.each([408, 429, 500, 502, 503, 504])("with HTTP %i is asked three times more, each time later", async (status) => {
    const fault = answer(status, "no");
    const server = await serve(fault, fault, fault, storage(bytes));
    const { download, clock, minted } = downloadOf([server.url]);
    expect((await fetched(download)).sha256).toBe(sha256);
    expect(clock.sleeps).toEqual([500, 1_000, 2_000]);
    expect(minted).toHaveLength(1);
  });

  it("a fourth time is an error that names the status", async () => {
    const server = await serve(answer(503, "SlowDown at https://files.example.com/?X-Amz-Signature=s3cr3t"));
    const error = await rejection(downloadOf([server.url + signed]).download.open());
    expect(error.message).toContain("HTTP 503");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(4);
  });

  it.each<[string, Reply]>([
    ["resets the connection", reset],
    ["closes it", closed],
    ["says nothing in time", silence],
  ])("and %s is asked three times more", async (_, reply) => {
    const server = await serve(reply);
    const { download } = downloadOf([server.url + signed], { timeout: 200 });
    const error = await rejection(download.open());
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(4);
  });

  it("by falling silent in the middle is given up for the next try", async () => {
    const stall: Reply = (response) => {
      response.writeHead(200, { etag, "content-length": String(bytes.length) });
      response.write(bytes.subarray(0, 100_000));
    };
    const server = await serve(stall, storage(bytes, { etag }));
    expect(await fetched(downloadOf([server.url], { timeout: 300 }).download)).toEqual({ sha256, begins: 1 });
    expect(server.requests[1]?.headers.range).toBe("bytes=100000-");
  });

  it("is not taken for silent while it is the reader that is slow", async () => {
    const large = gzipLike(8 * 1024 ** 2);
    const server = await serve(storage(large, { etag }));
    const { chunks } = await downloadOf([server.url], { timeout: 200 }).download.open();
    await chunks.next();
    await sleep(2_500);
    let rest = 0;
    for await (const chunk of chunks) {
      rest += chunk.length;
    }
    expect(rest).toBeGreaterThan(7 * 1024 ** 2);
    expect(server.requests).toHaveLength(1);
  });

  it.each([402, 404, 405])("with HTTP %i, which no retry mends, is asked once", async (status) => {
    const server = await serve(answer(status, "no"));
    const error = await rejection(downloadOf([server.url]).download.open());
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain(`HTTP ${status}`);
    expect(server.requests).toHaveLength(1);
  });

  it.each([204, 206, 416])("to hand out the file, with HTTP %i, is an error", async (status) => {
    const server = await serve(answer(status, ""));
    expect((await rejection(downloadOf([server.url]).download.open())).message).toContain(`HTTP ${status}`);
  });
});
