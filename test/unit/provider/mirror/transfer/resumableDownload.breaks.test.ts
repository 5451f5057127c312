import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DownloadError } from "../../../../../provider/support/errors";
import { rejection } from "../../../../support/clientUnderTest";
import { answer, closed, type Reply, reset, serve, silence } from "../../../../support/loopback";
import { downloadOf, fetched } from "../../../../support/mirror/downloads";
import { gzipLike, sha256Of, storageReply } from "../../../../support/mirror/storage";

const bytes = gzipLike(300_000);
const sha256 = sha256Of(bytes);
const etag = '"v1"';
const signed = "?X-Amz-Signature=s3cr3t";

const ranges = (requests: readonly { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers.range);

describe("a transfer that breaks", () => {
  it("continues from there by Range, for the same ETag only, and brings the same bytes", async () => {
    const server = await serve(storageReply(bytes, { etag, cutAfter: 100_000 }), storageReply(bytes, { etag }));
    const { download, minted } = downloadOf([server.url]);
    expect(await fetched(download)).toBe(sha256);
    expect(ranges(server.requests)).toEqual([undefined, "bytes=100000-"]);
    expect(server.requests[1]?.headers["if-range"]).toBe(etag);
    expect(minted).toHaveLength(1);
  });

  it("continues several times", async () => {
    const cut = storageReply(bytes, { etag, cutAfter: 90_000 });
    const server = await serve(cut, cut, cut, storageReply(bytes, { etag }));
    expect(await fetched(downloadOf([server.url]).download)).toBe(sha256);
    expect(ranges(server.requests)).toEqual([undefined, "bytes=90000-", "bytes=180000-", "bytes=270000-"]);
  });

  const cut = storageReply(bytes, { etag, cutAfter: 100_000 });
  const part =
    (headers: Record<string, string>): Reply =>
    (response) =>
      void response.writeHead(206, headers).end(bytes.subarray(100_000));

  it.each<[string, [Reply, ...Reply[]]]>([
    ["has no ETag", [storageReply(bytes, { cutAfter: 100_000 })]],
    ["has a weak ETag", [storageReply(bytes, { etag: 'W/"v1"', cutAfter: 100_000 })]],
    ["does not tell its length", [storageReply(bytes, { etag, chunked: true, cutAfter: 100_000 })]],
    ["sends the whole file instead", [cut, storageReply(bytes, { etag, withoutRanges: true })]],
    ["sends a part from another place", [cut, part({ "content-range": "bytes 5-299999/300000" })]],
    ["sends a part of a file of another size", [cut, part({ "content-range": "bytes 100000-300000/300001" })]],
    ["sends a part without telling which", [cut, part({})]],
    ["sends a part of another file", [cut, part({ "content-range": "bytes 100000-299999/300000", etag: '"v2"' })]],
  ])("is an error where the storage %s: no other bytes are accepted for the rest", async (_, replies) => {
    const server = await serve(...replies);
    const error = await rejection(fetched(downloadOf([server.url + signed]).download));
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain("broke after 100000 bytes");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(replies.length);
  });

  it("is an error after three retries that brought nothing, with the archive told as cut short or the cause", async () => {
    const server = await serve(cut, storageReply(bytes, { etag, cutAfter: 0 }));
    const { download, clock } = downloadOf([server.url + signed]);
    const error = await rejection(fetched(download));
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain("could not be downloaded, after 3 retries");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(4);
    expect(clock.sleeps).toEqual([500, 1_000, 2_000]);
  });

  it("may break as often as it gets on: each 8 MiB are worth three more retries", async () => {
    const large = gzipLike(50 * 1024 ** 2);
    const server = await serve(storageReply(large, { etag, cutAfter: 9 * 1024 ** 2 }));
    expect(await fetched(downloadOf([server.url]).download)).toBe(sha256Of(large));
    expect(server.requests.length).toBeGreaterThan(4);
  });
});

describe("a storage that fails", () => {
  it.each([408, 429, 500, 502, 503, 504])("with HTTP %i is asked three times more, each time later", async (status) => {
    const fault = answer(status, "no");
    const server = await serve(fault, fault, fault, storageReply(bytes));
    const { download, clock, minted } = downloadOf([server.url]);
    expect(await fetched(download)).toBe(sha256);
    expect(clock.sleeps).toEqual([500, 1_000, 2_000]);
    expect(minted).toHaveLength(1);
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

  it("is not taken for silent while it is the reader that is slow", async () => {
    const large = gzipLike(8 * 1024 ** 2);
    const server = await serve(storageReply(large, { etag }));
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

  it.each([204, 206, 416])("to hand out the file, with HTTP %i, is an error", async (status) => {
    const server = await serve(answer(status, ""));
    expect((await rejection(downloadOf([server.url]).download.open())).message).toContain(`HTTP ${status}`);
  });
});
