import { X509Certificate } from "node:crypto";
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { framed, messageIn } from "./frame";

/** Answers the message of a request, both as the protocol encodes them: with one message, or with one after the other. */
export type Method = (
  request: Uint8Array,
  headers: IncomingHttpHeaders,
) => Uint8Array | Promise<Uint8Array> | AsyncIterable<Uint8Array>;

/** By their paths. */
export type MethodTable = ReadonlyMap<string, Method>;

/** As gRPC numbers them. */
export const status = { ok: 0, unknown: 2, invalidArgument: 3, unimplemented: 12 };

/** An error as gRPC carries it. */
export class RpcFailure extends Error {
  constructor(
    message: string,
    readonly code = status.unknown,
    /** A `google.rpc.Status`, for what the other end is to read beside the message. */
    readonly details?: Uint8Array,
  ) {
    super(message);
  }
}

/** Certificates and the key as PEM. */
export interface Encryption {
  key: string;
  cert: string;
  /** The one certificate that a client has to show. */
  client: string;
}

const options = {
  settings: { initialWindowSize: 1024 * 1024 },
  // A failure carries the whole state of a resource in its headers.
  maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
};

/**
 * Serves methods that take one message, as gRPC does it over HTTP/2. The library for gRPC would double the
 * time that this process needs to start, and an engine starts it up to three times for a run.
 * @param connected makes the methods of one connection: whoever connects is one user of a provider.
 * @param tls undefined for plain text.
 * @param socket the path of the Unix socket, which this user alone may open, or the port of loopback.
 */
export function serveRpc(
  connected: () => MethodTable,
  tls: Encryption | undefined,
  listen: { path: string } | { host: string; port: number },
): Promise<{ port: number | undefined; close(): void }> {
  const server = tls === undefined ? createServer(options) : createSecureServer({ ...secured(tls), ...options });
  const expected = tls && new X509Certificate(tls.client);
  server.on("session", (session) => {
    if (expected !== undefined && !shows(session.socket as TLSSocket, expected)) {
      session.destroy();
      return;
    }
    const methods = connected();
    // An engine looks whether somebody listens, and may vanish at any time.
    session.on("error", () => session.destroy());
    session.on("stream", (stream, headers) => {
      const method = methods.get(String(headers[":path"]));
      stream.on("error", () => stream.close());
      if (method === undefined) {
        fail(stream, new RpcFailure("this provider has no such method", status.unimplemented));
      } else {
        answer(stream, method, headers).catch((error: unknown) => fail(stream, error));
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

/** Where an authority is named, or a client is to be refused by one, Node.js reads all that it trusts, for nothing here. */
function secured({ key, cert }: Encryption): SecureServerOptions {
  return { key, cert, ca: [], requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" };
}

/** Whoever has shown a certificate has proved, by then, that its key is theirs. */
function shows(socket: TLSSocket, expected: X509Certificate): boolean {
  return socket.getPeerX509Certificate()?.raw.equals(expected.raw) ?? false;
}

async function answer(stream: ServerHttp2Stream, method: Method, headers: IncomingHttpHeaders): Promise<void> {
  const reply = method(messageIn(await contentOf(stream)), headers);
  const messages = Symbol.asyncIterator in reply ? reply : [await reply];
  for await (const message of messages) {
    if (stream.destroyed) {
      return;
    }
    begin(stream);
    stream.write(framed(message));
  }
  if (!stream.destroyed) {
    begin(stream);
    stream.end();
  }
}

/** By its events: to iterate over a stream takes as long as the rest of a small call. */
function contentOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("end", () => resolve(Buffer.concat(chunks)));
  });
}

function begin(stream: ServerHttp2Stream): void {
  if (!stream.headersSent) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status.ok) }));
  }
}

function fail(stream: ServerHttp2Stream, error: unknown): void {
  if (!stream.headersSent && !stream.destroyed) {
    const failure =
      error instanceof RpcFailure ? error : new RpcFailure(error instanceof Error ? error.message : String(error));
    const { message, code, details } = failure;
    const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": String(code) };
    const more = details && { "grpc-status-details-bin": Buffer.from(details).toString("base64") };
    stream.respond({ ...headers, "grpc-message": encodeURI(message.toWellFormed()), ...more }, { endStream: true });
  }
}
