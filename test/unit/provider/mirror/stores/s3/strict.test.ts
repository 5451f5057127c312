import http from "node:http";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../../../../provider/resources/bundleMirror";
import { rejection } from "../../../../../support/clientUnderTest";
import { answer, listen, serve } from "../../../../../support/loopback";
import { destroyed, mirrored, mirrorWorld } from "../../../../../support/mirror/mirrorWorld";
import { testS3, useEnvironment } from "../../../../../support/mirror/s3Server";
import { filesIn, gzipLike, storage } from "../../../../../support/mirror/storage";

const s3 = testS3();
afterEach(() => vi.unstubAllEnvs());

const wantsChecksum = `<?xml version="1.0"?><Error><Code>InvalidRequest</Code><Message>Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters</Message></Error>`;

/** A way to a real S3 server that refuses whatever is put without a checksum, as a bucket with Object Lock does. */
async function lockedEndpoint() {
  const puts = { refused: 0, taken: 0 };
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = "", url = "", headers } = request;
    const hasChecksum =
      headers["content-md5"] !== undefined ||
      Object.keys(headers).some((name) => /^x-amz-checksum-(?!mode)/.test(name));
    if (method === "PUT") {
      puts[hasChecksum ? "taken" : "refused"]++;
      if (!hasChecksum) {
        response.writeHead(400, { "content-type": "application/xml" });
        response.end(wantsChecksum);
        return;
      }
    }
    const forwarded = http.request(new URL(url, s3.server.endpoint), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    });
    forwarded.end(body);
  });
  return { puts, ...(await listen(server)) };
}

describe("a bucket with Object Lock", () => {
  it.each([
    ["of one part", gzipLike(30_000)],
    ["of several parts", gzipLike(20 * 1024 ** 2)],
  ])("takes an archive %s, each put with a checksum after the first ones were refused", async (_, bytes) => {
    const { url, puts } = await lockedEndpoint();
    const world = await mirrorWorld([storage(bytes)]);
    s3.server.destination(s3.bucket);
    const destination = `s3://${s3.bucket}/docs?endpoint=${encodeURIComponent(url)}`;
    const state = await mirrored(world, { destination });
    expect(filesIn(s3.server.folderOf(s3.bucket)).filter((name) => name.startsWith("docs/"))).toHaveLength(3);
    // As many parts as are sent at once.
    expect(puts.refused).toBeLessThanOrEqual(4);
    expect(puts.taken).toBeGreaterThanOrEqual(3);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await destroyed(state);
  });
});

describe("a bucket in another region", () => {
  it("is told with the way to name its region", async () => {
    const moved = `<Error><Code>PermanentRedirect</Code><Message>Use another endpoint.</Message><Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint></Error>`;
    const headers = { "content-type": "application/xml", "x-amz-bucket-region": "eu-west-1" };
    const { url } = await serve(answer(301, moved, headers));
    useEnvironment({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "eu-central-1" });
    const world = await mirrorWorld([storage(gzipLike(30_000))]);
    const destination = `s3://bucket/docs?endpoint=${encodeURIComponent(url)}`;
    const error = await rejection(mirrored(world, { destination }));
    expect(error.message).toContain("give the bucket's region as ?region= in the destination");
  });
});
