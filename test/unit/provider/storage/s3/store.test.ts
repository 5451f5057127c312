import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ListMultipartUploadsCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it, vi } from "vitest";
import { parseDestination } from "../../../../../provider/storage/destination";
import type { ObjectStore } from "../../../../../provider/storage/objectStore";
import { openObjectStore } from "../../../../../provider/storage/openStore";
import type { S3Destination } from "../../../../../provider/storage/s3/destination";
import { DestinationError, InterruptedError } from "../../../../../provider/support/errors";
import { unusedPort } from "../../../../../tools/processes/serverProcess";
import { until } from "../../../../platform/simulator/support";
import { never, rejection } from "../../../../support/clientUnderTest";
import { freezingProxy } from "../../../../support/mirror/freezingProxy";
import { testS3, useEnvironment } from "../../../../support/mirror/s3Server";
import { gzipLike, sha256Of } from "../../../../support/mirror/storage";

const s3 = testS3();

function parsed(text: string): S3Destination {
  const destination = parseDestination(text);
  if ("problem" in destination || destination.kind !== "s3") {
    throw new Error(`${text} is no bucket`);
  }
  return destination;
}

const storeAt = (text: string) => openObjectStore(parsed(text), { plainLoopback: true, signal: never });
const store = (prefix = "") => storeAt(s3.server.destination(s3.bucket, prefix));
const options = { contentType: "text/plain", signal: never };
const mebibyte = 1024 ** 2;

async function* chunksOf(bytes: Buffer, fault?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += mebibyte) {
    yield bytes.subarray(at, at + mebibyte);
  }
  if (fault) {
    throw fault;
  }
}

const objects = () => readdirSync(s3.server.folderOf(s3.bucket)).filter((name) => name !== ".sgwtmp");
const objectOf = (name: string) => readFileSync(join(s3.server.folderOf(s3.bucket), name));

/** Uploads that S3 still keeps parts of. */
async function unfinishedUploads(): Promise<number> {
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
  const { Uploads: uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
  client.destroy();
  return uploads.length;
}

/** The requests for this test's bucket, without those of a method that is left out. */
const requests = (without = "") =>
  s3.server.requests().filter((request) => request.includes(` /${s3.bucket}/`) && !request.startsWith(`${without} `));

describe("put", () => {
  it.each([
    ["of nothing", 0],
    ["of one part", 300_000],
    ["of several parts", 20 * mebibyte + 7],
  ])("%s brings every byte, and tells the same size and revision as stat does", async (_, size) => {
    const bytes = gzipLike(Math.max(2, size)).subarray(0, size);
    const there = store("docs");
    const seen = await there.put("a.bin", chunksOf(bytes), { ...options, expectedBytes: size });
    expect(sha256Of(objectOf("docs/a.bin"))).toBe(sha256Of(bytes));
    expect(seen.sizeBytes).toBe(size);
    expect((await there.stat(["a.bin"])).get("a.bin")).toEqual(seen);
  });

  it("is multipart from the second part on, and completed at its end", async () => {
    await store().put("a.bin", chunksOf(gzipLike(20 * mebibyte)), options);
    await until(() => requests().length >= 4);
    expect(requests()).toEqual([
      `POST /${s3.bucket}/a.bin`,
      `PUT /${s3.bucket}/a.bin`,
      `PUT /${s3.bucket}/a.bin`,
      `POST /${s3.bucket}/a.bin`,
    ]);
  });

  it("tells type and caching, as a web server before the bucket hands them on", async () => {
    const there = store();
    await there.put("a.html", chunksOf(Buffer.from("x")), {
      ...options,
      contentType: "text/html",
      cacheControl: "no-cache",
    });
    const head = await sent((client) => client.head("a.html"));
    expect(head).toMatchObject({ ContentType: "text/html", CacheControl: "no-cache" });
  });

  it.each([
    ["one part", 300_000],
    ["several parts", 20 * mebibyte],
  ])(
    "of content that breaks after %s leaves nothing, no part either, and throws what the content threw",
    async (_, size) => {
      const broken = new Error("broken");
      expect(await rejection(store().put("a.bin", chunksOf(gzipLike(size), broken), options))).toBe(broken);
      expect(objects()).toEqual([]);
      expect(await unfinishedUploads()).toBe(0);
    },
  );

  it("of content that breaks leaves the old object", async () => {
    const there = store();
    await there.put("a.bin", chunksOf(Buffer.from("old")), options);
    await rejection(there.put("a.bin", chunksOf(gzipLike(20 * mebibyte), new Error("broken")), options));
    expect(objectOf("a.bin").toString()).toBe("old");
  });

  it("that is cancelled gives the parts on their way up, and leaves none", async () => {
    const proxy = await freezingProxy(s3.server.endpoint);
    s3.server.destination(s3.bucket);
    const there = storeAt(`s3://${s3.bucket}?endpoint=${proxy.url}`);
    const controller = new AbortController();
    const put = rejection(
      there.put("a.bin", chunksOf(gzipLike(60 * mebibyte)), { ...options, signal: controller.signal }),
    );
    await until(() => proxy.bytes > 4 * mebibyte);
    proxy.freeze();
    controller.abort(new Error("cancelled"));
    setTimeout(() => proxy.thaw(), 200);
    expect(await put).toBeInstanceOf(InterruptedError);
    expect(objects()).toEqual([]);
    expect(await unfinishedUploads()).toBe(0);
  });
});

describe("stat", () => {
  it("asks by HEAD, reads nothing, and finds what is there", async () => {
    const there = store("docs");
    await there.put("a", chunksOf(Buffer.from("x")), options);
    expect([...(await there.stat(["a"])).keys()]).toEqual(["a"]);
    await until(() => requests("PUT").length >= 1);
    expect(requests("PUT")).toEqual([`HEAD /${s3.bucket}/docs/a`]);
    expect([...(await there.stat(["a", "b", "a/b"])).keys()]).toEqual(["a"]);
  });

  it("lists where there are many, and finds the same", async () => {
    const there = store("docs");
    const names = Array.from({ length: 12 }, (_, index) => `pages/${index}.html`);
    for (const name of names) {
      await there.put(name, chunksOf(Buffer.from(name)), options);
    }
    const listed = await there.stat([...names, "pages/none.html"]);
    expect([...listed.keys()].sort()).toEqual([...names].sort());
    await until(() => requests("PUT").length >= 1);
    expect(requests("PUT")).toEqual([`GET /${s3.bucket}/`]);
    expect(listed.get("pages/3.html")).toEqual((await there.stat(["pages/3.html"])).get("pages/3.html"));
  });

  it("finds nothing in a bucket that is not there", async () => {
    expect(await storeAt(`s3://never-made?endpoint=${s3.server.endpoint}`).stat(["a"])).toEqual(new Map());
  });

  it.each(["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])(
    "with a wrong %s is an error, and never finds it gone",
    async (name) => {
      const there = store();
      await there.put("a", chunksOf(Buffer.from("x")), options);
      vi.stubEnv(name, "wrong-0123456789");
      expect(await rejection(store().stat(["a"]))).toBeInstanceOf(DestinationError);
    },
  );
});

describe("sha256", () => {
  it("is told where S3 has one of the whole object, and is unknown otherwise", async () => {
    const there = store();
    await there.put("a", chunksOf(Buffer.from("x")), options);
    expect(await there.sha256("a")).toBeUndefined();
    await sent((client) => client.put("b", "text"));
    expect(await there.sha256("b")).toBe(sha256Of("text"));
  });
});

/** Sends by the SDK itself, beside the store. */
async function sent<T>(
  use: (client: { head(key: string): Promise<T>; put(key: string, text: string): Promise<T> }) => Promise<T>,
): Promise<T> {
  const { HeadObjectCommand } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
  try {
    return await use({
      head: (key) => client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: key })) as Promise<T>,
      put: (key, text) =>
        client.send(
          new PutObjectCommand({ Bucket: s3.bucket, Key: key, Body: text, ChecksumAlgorithm: "SHA256" }),
        ) as Promise<T>,
    });
  } finally {
    client.destroy();
  }
}

describe("read and remove", () => {
  it("read a small text, and nothing where it is not", async () => {
    const there = store();
    await there.put("a", chunksOf(Buffer.from("text")), options);
    expect(await there.read("a", 100)).toBe("text");
    expect(await there.read("b", 100)).toBeUndefined();
  });

  it("read nothing of a text that is larger than a reader takes", async () => {
    const there = store();
    await there.put("a", chunksOf(Buffer.alloc(mebibyte, " ")), options);
    expect(await there.read("a", mebibyte)).toHaveLength(mebibyte);
    expect(await there.read("a", mebibyte - 1)).toBe("");
  });

  it("remove what is there, find no fault in what is not, and leave the rest", async () => {
    const there = store();
    for (const name of ["a", "b", "c"]) {
      await there.put(name, chunksOf(Buffer.from(name)), options);
    }
    await there.remove(["a", "b", "never"]);
    expect(objects()).toEqual(["c"]);
  });
});

describe("the address of an object", () => {
  it("is the one that the SDK sends to, without a query, with what an address cannot hold escaped", async () => {
    const there = store("a b");
    await there.put("x%2F(1).tar.gz", chunksOf(Buffer.from("x")), options);
    expect(there.address("x%2F(1).tar.gz")).toBe(`${s3.server.endpoint}/${s3.bucket}/a%20b/x%252F%281%29.tar.gz`);
    expect(there.address("")).toBe(`${s3.server.endpoint}/${s3.bucket}/a%20b/`);
  });
});

describe("a bucket that cannot be used is told with the reason, and what to do:", () => {
  const failure = async (there: ObjectStore) => {
    const error = await rejection(there.put("a", chunksOf(Buffer.from("x")), options));
    expect(error).toBeInstanceOf(DestinationError);
    return error.message;
  };

  it("there is none of that name", async () => {
    const message = await failure(storeAt(`s3://never-made?endpoint=${s3.server.endpoint}`));
    expect(message).toContain("the bucket never-made at 127.0.0.1");
    expect(message).toContain("NoSuchBucket");
    expect(message).toContain("make the bucket");
  });

  it("no permission", async () => {
    const there = s3.server.destination(s3.bucket);
    useEnvironment(await s3.server.withoutRights());
    const message = await failure(storeAt(there));
    expect(message).toContain("AccessDenied");
    expect(message).toContain("s3:PutObject");
  });

  it("a wrong secret", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong-0123456789");
    const message = await failure(store());
    expect(message).toContain("correct the credentials");
    expect(message).not.toContain("wrong-0123456789");
  });

  it("no credentials at all", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
    expect(await failure(store())).toContain("CredentialsProviderError");
  });

  it("no region", async () => {
    vi.stubEnv("AWS_REGION", undefined);
    expect(await failure(store())).toContain("?region=");
  });

  it("a server that is not there", async () => {
    expect(await failure(storeAt(`s3://docs?endpoint=http://127.0.0.1:${await unusedPort()}`))).toContain(
      "ECONNREFUSED",
    );
  });
});

describe("an endpoint at plain http", () => {
  it("on this machine is for a platform on this machine", () => {
    const make = () =>
      openObjectStore(parsed(s3.server.destination(s3.bucket)), { plainLoopback: false, signal: never });
    expect(make).toThrow("would be reached by plain http at 127.0.0.1");
  });

  it("elsewhere is refused also where it comes from the environment: nothing is sent", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://s3.example.com");
    const error = await rejection(storeAt("s3://docs").put("a", chunksOf(Buffer.from("x")), options));
    expect(error).toBeInstanceOf(DestinationError);
    expect(error.message).toContain("by plain http at docs.s3.example.com");
  });
});
