import { createSecureServer, createServer, type SecureServerOptions, type ServerHttp2Stream } from "node:http2";

/** Answers the message of a request, both as the protocol encodes them: with one message, or with one after the other. */
export type Method = (request: Uint8Array) => Uint8Array | Promise<Uint8Array> | AsyncIterable<Uint8Array>;

/** By their paths. */
export type MethodTable = ReadonlyMap<string, Method>;

/** As gRPC numbers them. */
const status = { ok: 0, unknown: 2, unimplemented: 12 };

/** A byte that says whether the message is compressed, and four for its length. */
const prefixLength = 5;

const windowSize = { initialWindowSize: 1024 * 1024 };

/**
 * Serves methods that take one message, as gRPC does it over HTTP/2. The library for gRPC would double the
 * time that this process needs to start, and Terraform starts it three times for a plan.
 * @param connected makes the methods of one connection: whoever connects is one user of a provider.
 * @param tls undefined for plain text.
 * @param socket the path of the Unix socket, which this user alone may open, or the port of loopback.
 */
export function serveRpc(
  connected: () => MethodTable,
  tls: SecureServerOptions | undefined,
  listen: { path: string } | { host: string; port: number },
): Promise<{ port: number | undefined; close(): void }> {
  const server =
    tls === undefined ? createServer({ settings: windowSize }) : createSecureServer({ ...tls, settings: windowSize });
  server.on("session", (session) => {
    const methods = connected();
    // Terraform looks whether somebody listens, and may vanish at any time.
    session.on("error", () => session.destroy());
    session.on("stream", (stream, headers) => {
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
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const mask = process.umask(0o177);
    server.listen(listen, () => {
      const address = server.address();
      resolve({ port: typeof address === "object" ? address?.port : undefined, close: () => server.close() });
    });
    process.umask(mask);
  });
}

async function answer(stream: ServerHttp2Stream, method: Method): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  const reply = method(messageIn(Buffer.concat(chunks)));
  const messages = Symbol.asyncIterator in reply ? reply : [await reply];
  for await (const message of messages) {
    if (stream.destroyed) {
      return;
    }
    begin(stream);
    const prefix = Buffer.alloc(prefixLength);
    prefix.writeUInt32BE(message.length, 1);
    stream.write(Buffer.concat([prefix, message]));
  }
  if (!stream.destroyed) {
    begin(stream);
    stream.end();
  }
}

function begin(stream: ServerHttp2Stream): void {
  if (!stream.headersSent) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status.ok) }));
  }
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
