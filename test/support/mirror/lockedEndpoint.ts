import http from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../loopback";
import type { TestS3 } from "./s3Server";

const wantsChecksum = `<?xml version="1.0"?><Error><Code>InvalidRequest</Code><Message>Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters</Message></Error>`;

/** A front of a real S3 server that refuses a put without a checksum, as a bucket with Object Lock does. */
export async function lockedEndpoint(s3: TestS3) {
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
