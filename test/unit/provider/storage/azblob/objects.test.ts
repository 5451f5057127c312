import { createHash } from "node:crypto";
import { BlobServiceClient } from "@azure/storage-blob";
import { describe, expect, it } from "vitest";
import { never, rejection } from "../../../../support/clientUnderTest";
import { serve } from "../../../../support/loopback";
import { objectStorages, openedStore } from "../../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of } from "../../../../support/mirror/storage";

/* Rules for Azure only. objectStore.test.ts has the rules for all storages. */

const place = objectStorages.azblob.placeOfTest();
const options = { contentType: "text/plain", signal: never };
const store = () => openedStore(place.destination("docs"));
/** Returns a blob as the SDK of Azure opens it, without the store under test. */
const blob = (name: string) =>
  BlobServiceClient.fromConnectionString(process.env.AZURE_STORAGE_CONNECTION_STRING ?? "")
    .getContainerClient(new URL(place.root).pathname.split("/")[2] ?? "")
    .getBlockBlobClient(name);

async function* content(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

describe("a container", () => {
  it("never gets parts of two writers in one blob", async () => {
    const bytes = [gzipLike(40 * 1024 ** 2), gzipLike(40 * 1024 ** 2, 2)];
    const ended = await Promise.allSettled(bytes.map((each) => store().put("a", content(each), options)));
    expect(ended.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    expect(bytes.map(sha256Of)).toContain(sha256Of(await place.read("docs/a")));
  }, 30_000);

  it("gets each part with its MD5, so that bytes that were changed on their way are refused", async () => {
    const server = await serve((response) => {
      response.writeHead(201, { etag: '"1"' });
      response.end();
    });
    const bytes = Buffer.alloc(20 * 1024 ** 2, "a");
    await openedStore(place.destination("docs", server.url)).put("a", content(bytes), options);
    await openedStore(place.destination("docs", server.url)).put("b", content(Buffer.from("b")), options);
    const sent = server.requests.filter(({ url }) => !url.includes("comp=blocklist"));
    expect(sent.map(({ headers }) => headers["content-md5"]).sort()).toEqual(
      sent.map(({ body }) => createHash("md5").update(body).digest("base64")).sort(),
    );
    expect(sent).toHaveLength(3);
  });

  it("with a blob that somebody has locked is reported with what to do, and the blob stays", async () => {
    await store().put("a", content(Buffer.from("old")), options);
    await blob("docs/a").getBlobLeaseClient().acquireLease(-1);
    const { message } = await rejection(store().put("a", content(Buffer.from("new")), options));
    expect(message).toContain("cannot be used: LeaseIdMissing, HTTP 412");
    expect(message).toContain("What to do: break the lease or the lock of this blob");
    expect(String(await place.read("docs/a"))).toBe("old");
  });

  it("needs a user delegation if its account allows no shared keys, instead of the key that takes precedence", async () => {
    const code = "KeyBasedAuthenticationNotPermitted";
    const server = await serve((response) => response.writeHead(403, { "x-ms-error-code": code }).end());
    const store = openedStore(place.destination("docs", server.url));
    const { message } = await rejection(store.put("a", content(Buffer.from("a")), options));
    expect(message).toContain(code);
    expect(message).toContain("give a user delegation SAS as AZURE_STORAGE_SAS_TOKEN");
    expect(message).toContain("and unset AZURE_STORAGE_KEY and AZURE_STORAGE_CONNECTION_STRING");
  });

  it("with a server that leads elsewhere is not followed there", async () => {
    const other = await serve((response) => response.end());
    const server = await serve((response) => {
      response.writeHead(307, { location: other.url });
      response.end();
    });
    await rejection(openedStore(place.destination("docs", server.url)).put("a", content(Buffer.from("a")), options));
    expect(other.requests).toEqual([]);
    expect(server.requests.length).toBeGreaterThan(0);
  });
});
