import http from "node:http";
import { buffer } from "node:stream/consumers";
import { type Loopback, listen } from "../loopback";
import type { TestS3 } from "./s3Server";

const wantsChecksum = `<?xml version="1.0"?><Error><Code>InvalidRequest</Code><Message>Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters</Message></Error>`;

/**
 * Starts a server that refuses some requests and forwards the others to a real S3 server.
 * @param refuse returns the text of the refusal, or undefined for a request to forward.
 */
export function frontOf(s3: TestS3, refuse: (request: http.IncomingMessage) => string | undefined): Promise<Loopback> {
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = "", url = "", headers } = request;
    const refusal = refuse(request);
    if (refusal !== undefined) {
      response.writeHead(refusal.includes("AccessDenied") ? 403 : 400, { "content-type": "application/xml" });
      response.end(refusal);
      return;
    }
    const forwarded = http.request(new URL(url, s3.server.endpoint), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    });
    forwarded.end(body);
  });
  return listen(server);
}

/**
 * Starts a server in front of a real S3 server. As a bucket with Object Lock does, it refuses a put without a checksum.
 */
export async function lockedEndpoint(s3: TestS3) {
  const puts = { refused: 0, taken: 0 };
  const front = await frontOf(s3, ({ method, headers }) => {
    const hasChecksum =
      headers["content-md5"] !== undefined ||
      Object.keys(headers).some((name) => /^x-amz-checksum-(?!mode)/.test(name));
    if (method !== "PUT") {
      return undefined;
    }
    puts[hasChecksum ? "taken" : "refused"]++;
    return hasChecksum ? undefined : wantsChecksum;
  });
  return { puts, ...front };
}
