import net from "node:net";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DownloadError,
  ForbiddenLinkAddressError,
  RunCancelledError,
  StorageRefusedLinkError,
} from "../../../../../provider/support/errors";
import { campaign } from "../../../../support/campaign";
import { rejection, testKey } from "../../../../support/clientUnderTest";
import { answer, listen, type Reply, serve, silence } from "../../../../support/loopback";
import { downloadOf, fetched } from "../../../../support/mirror/downloads";
import { gzipLike, sha256Of, storageReply } from "../../../../support/mirror/storage";
import { campaignSeed } from "../../../../support/random";

const bytes = gzipLike(300_000);
const sha256 = sha256Of(bytes);
const etag = '"v1"';
const signed = "?X-Amz-Signature=s3cr3t";

describe("a download", () => {
  it("is one GET of the link unchanged, without the key and without a change of the bytes on the way", async () => {
    const server = await serve(storageReply(bytes));
    const { download, minted } = downloadOf([`${server.url}/a%20b.tar.gz${signed}`]);
    expect(await fetched(download)).toBe(sha256);
    expect(minted).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ method: "GET", url: `/a%20b.tar.gz${signed}` });
    expect(server.requests[0]?.headers).toMatchObject({ "accept-encoding": "identity" });
    expect(JSON.stringify(server.requests)).not.toContain(testKey);
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("requests the link, and a redirect, letter by letter", async () => {
    const letters = fc.string({
      unit: fc.constantFrom(..."!\"$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~".split("")),
      maxLength: 20,
    });
    const server = await serve((response, { request: { url } }) => {
      const location = `${url.length % 2 === 0 ? server.url : ""}${url}&last`;
      url.endsWith("&last") ? response.end(bytes.subarray(0, 100)) : response.writeHead(302, { location }).end();
    });
    await fc.assert(
      fc.asyncProperty(letters, letters, async (path, query) => {
        const begin = server.requests.length;
        await downloadOf([`${server.url}/x${path}?x=${query}`]).download.open();
        const sent = server.requests.slice(begin).map(({ url }) => url);
        expect(sent).toEqual([`/x${path}?x=${query}`, `/x${path}?x=${query}&last`]);
      }),
      { seed: campaignSeed(), numRuns: campaign ? 500 : 20 },
    );
  });
});

describe("an archive whose size the platform names", () => {
  const named = async (reply: Reply, sizeBytes: number) => {
    const server = await serve(reply);
    return { server, ...downloadOf([server.url + signed], { sizeBytes }) };
  };

  it("has that size from the first byte on, also where the storage sends no length", async () => {
    for (const chunked of [false, true]) {
      const { download } = await named(storageReply(bytes, { chunked }), bytes.length);
      const { expectedBytes, chunks } = await download.open();
      expect(expectedBytes).toBe(bytes.length);
      expect(sha256Of(await buffer(chunks))).toBe(sha256);
    }
  });

  it.each([-1, 1])("is refused with another size (%i), before a byte of it is used", async (more) => {
    const { download, server } = await named(storageReply(bytes), bytes.length + more);
    const error = await rejection(download.open());
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain(
      `the archive has ${bytes.length} bytes, but the platform says that it has ${bytes.length + more}.`,
    );
    expect(server.requests).toHaveLength(1);
  });

  it("is refused where a chunked one ends before", async () => {
    const { download } = await named(storageReply(bytes, { chunked: true }), bytes.length + 1);
    expect(await rejection(fetched(download))).toBeInstanceOf(DownloadError);
  });

  it("may have another size in an encoding of the storage, which is then a part of the archive", async () => {
    const { download } = await named(answer(200, "packed", { "content-length": 6, "content-encoding": "gzip" }), 9);
    expect((await download.open()).expectedBytes).toBe(6);
  });
});

describe("an archive whose end is not told", () => {
  it("is refused, since one cut short would look like a whole one", async () => {
    const server = await listen(
      net.createServer((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n\x1f\x8b half of it"));
      }),
    );
    const error = await rejection(downloadOf([server.url]).download.open());
    expect(error).toBeInstanceOf(DownloadError);
    expect(error.message).toContain("does not send the length of the archive");
  });
});

describe("the addresses of a download", () => {
  it("are https, or plain http to this machine where the platform is on it: else nothing is sent", async () => {
    const server = await serve(storageReply(bytes));
    const error = await rejection(downloadOf([server.url + signed], { rule: { loopback: false } }).download.open());
    expect(error).toBeInstanceOf(ForbiddenLinkAddressError);
    expect(error.message).toContain("with http instead of https");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.connections).toBe(0);
  });

  it("are never plain http to another machine", async () => {
    const error = await rejection(downloadOf(["http://files.example.com/x"]).download.open());
    expect(error.message).toContain("the link points to files.example.com with http");
  });

  it("may be redirected three times, also to a relative address, and not a fourth time", async () => {
    const server = await serve((response, { request }) => {
      const hop = Number(request.url.slice(1));
      hop === 0 ? response.end(bytes) : response.writeHead(302, { location: `/${hop - 1}` }).end();
    });
    expect(await fetched(downloadOf([`${server.url}/3`]).download)).toBe(sha256);
    expect(server.requests).toHaveLength(4);
    const error = await rejection(downloadOf([`${server.url}/4`]).download.open());
    expect(error.message).toContain("redirected more than 3 times");
    expect(server.requests).toHaveLength(8);
  });

  it.each([301, 302, 303, 307, 308])("are not redirected to plain http elsewhere (%i)", async (status) => {
    const server = await serve(answer(status, "", { location: `http://files.example.com/x${signed}` }));
    const error = await rejection(downloadOf([server.url]).download.open());
    expect(error.message).toContain("the link is redirected to files.example.com with http");
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(1);
  });

  it.each(["https://169.254.169.254/x", "http://[::ffff:a9fe:a9fe]/x"])(
    "are not redirected to where no link may lead: %s",
    async (location) => {
      const server = await serve(answer(302, "", { location: location + signed }));
      const error = await rejection(downloadOf([server.url]).download.open());
      expect(error).toBeInstanceOf(ForbiddenLinkAddressError);
      expect(error.message).toContain(`the link is redirected to ${new URL(location).host}`);
      expect(error.message).not.toContain("s3cr3t");
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe("a link that is refused", () => {
  it.each([400, 401, 410])("at the start (%i) is minted once more", async (status) => {
    const server = await serve(answer(status, "expired"), storageReply(bytes));
    const { download, clock, minted } = downloadOf([`${server.url}/first`, `${server.url}/second`]);
    expect(await fetched(download)).toBe(sha256);
    expect(server.requests.map(({ url }) => url)).toEqual(["/first", "/second"]);
    expect(minted).toHaveLength(2);
    expect(clock.sleeps).toEqual([]);
  });

  it("twice in a row is an error, after two links and no more", async () => {
    const server = await serve(answer(401, `expired: ${signed}`));
    const { download, minted } = downloadOf([server.url + signed]);
    const error = await rejection(download.open());
    expect(error).toBeInstanceOf(StorageRefusedLinkError);
    expect(error.message).not.toContain("s3cr3t");
    expect(minted).toHaveLength(2);
    expect(server.requests).toHaveLength(2);
  });

  it("in the middle is minted once more, and the fresh one continues by Range for the same file", async () => {
    const server = await serve(
      storageReply(bytes, { etag, cutAfter: 100_000 }),
      answer(403, "expired"),
      storageReply(bytes, { etag }),
    );
    const { download, minted } = downloadOf([`${server.url}/first`, `${server.url}/second`]);
    expect(await fetched(download)).toBe(sha256);
    expect(server.requests.map(({ url }) => url)).toEqual(["/first", "/first", "/second"]);
    expect(server.requests[2]?.headers).toMatchObject({ range: "bytes=100000-", "if-range": etag });
    expect(minted).toHaveLength(2);
  });
});

describe("a run that is cancelled", () => {
  it.each<[string, Reply]>([
    ["while the storage says nothing", silence],
    ["in the middle", (response) => void response.writeHead(200, { "content-length": "9" }).write("x")],
  ])("ends at once %s, and asks nobody again", async (_, reply) => {
    const server = await serve(reply);
    const controller = new AbortController();
    const { download, clock } = downloadOf([server.url], { signal: controller.signal, timeout: 60_000 });
    const ended = rejection(fetched(download));
    setTimeout(() => controller.abort(new Error("cancelled")), 100);
    expect(await ended).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  it("ends in the rest before a retry", async () => {
    const server = await serve(answer(503, "no"));
    const controller = new AbortController();
    const { download, clock } = downloadOf([server.url], { signal: controller.signal });
    clock.onSleep = () => controller.abort(new Error("cancelled"));
    expect(await rejection(download.open())).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(1);
  });
});
