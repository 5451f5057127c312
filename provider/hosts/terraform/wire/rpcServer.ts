import { createSecureServer, type SecureServerOptions, type ServerHttp2Stream } from "node:http2";

/** Answers the message of a request, both as the protocol encodes them. */
export type Method = (request: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** As gRPC numbers them. */
const status = { ok: 0, unknown: 2, unimplemented: 12 };

/** A byte that says whether the message is compressed, and four for its length. */
const prefixLength = 5;

/**
 * Serves methods that take one message and answer with one, as gRPC does it over HTTP/2. The library for gRPC would double the
 * time that this process needs to start, and Terraform starts it three times for a plan.
 * @param methods by their paths.
 * @param socket the path of the Unix socket, or the port of loopback.
 */
export function serveRpc(
  methods: ReadonlyMap<string, Method>,
  tls: SecureServerOptions,
  listen: { path: string } | { host: string; port: number },
): Promise<{ port: number | undefined }> {
  const server = createSecureServer({ ...tls, settings: { initialWindowSize: 1024 * 1024 } });
  server.on("stream", (stream, headers) => {
    const method = methods.get(String(headers[":path"]));
    stream.on("error", () => stream.close());
    if (method === undefined) {
      fail(stream, status.unimplemented, "this provider has no such method");
    } else {
      answer(stream, method).catch((error: unknown) => {
        fail(stream, status.unknown, error instanceof Error ? error.message : String(error));
      });
    }
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen, () => {
      const address = server.address();
      resolve({ port: typeof address === "object" ? address?.port : undefined });
    });
  });
}

async function answer(stream: ServerHttp2Stream, method: Method): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  const reply = await method(messageIn(Buffer.concat(chunks)));
  if (stream.destroyed) {
    return;
  }
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(reply.length, 1);
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status.ok) }));
  stream.end(Buffer.concat([prefix, reply]));
}

function messageIn(body: Buffer): Buffer {
  const length = body.length < prefixLength ? -1 : body.readUInt32BE(1);
  if (body[0] !== 0 || body.length !== prefixLength + length) {
    throw new Error("a request must be one message, not compressed");
  }
  return body.subarray(prefixLength);
}

function fail(stream: ServerHttp2Stream, code: number, reason: string): void {
  if (!stream.headersSent && !stream.destroyed) {
    const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": String(code) };
    stream.respond({ ...headers, "grpc-message": encodeURIComponent(reason) }, { endStream: true });
  }
}
