import { ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it, vi } from "vitest";
import type { ObjectStore } from "../../../../../provider/storage/objectStore";
import { DestinationError } from "../../../../../provider/support/errors";
import { never, rejection } from "../../../../support/clientUnderTest";
import { openedStore } from "../../../../support/mirror/objectPlaces";
import { testS3 } from "../../../../support/mirror/s3Server";
import { gzipLike } from "../../../../support/mirror/storage";
import { until } from "../../../../support/until";

/* Rules for S3 only. objectStore.test.ts has the rules for all storages. */

const s3 = testS3();
const options = { contentType: "text/plain", signal: never };
const store = () => openedStore(s3.server.destination(s3.bucket));

async function* large(fault?: Error): AsyncGenerator<Buffer> {
  yield gzipLike(20 * 1024 ** 2);
  if (fault) {
    throw fault;
  }
}

async function* text(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

it("a put is multipart from the second part on, and completed at its end", async () => {
  await store().put("a.bin", large(), options);
  const requests = () => s3.server.requests().filter((request) => request.includes(` /${s3.bucket}/`));
  await until(() => requests().length >= 4);
  expect(requests().map((request) => request.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "POST"]);
});

it("a put of content that breaks has S3 drop the parts that it got", async () => {
  await rejection(store().put("a.bin", large(new Error("broken")), options));
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true });
  const { Uploads: uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
  client.destroy();
  expect(uploads).toEqual([]);
});

describe("a bucket that cannot be used is reported with the reason, and what to do:", () => {
  const failure = async (there: ObjectStore) => {
    const error = await rejection(there.put("a", text("x"), options));
    expect(error).toBeInstanceOf(DestinationError);
    return error.message;
  };

  it("an unknown key id", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "wrong-0123456789");
    expect(await failure(store())).toContain("correct the credentials");
    expect(await rejection(store().stat(["a"]))).toBeInstanceOf(DestinationError);
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

  it("an endpoint of the environment at plain http elsewhere: nothing is sent", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://s3.example.com");
    expect(await failure(openedStore("s3://docs"))).toContain("by plain http at docs.s3.example.com");
  });
});
