import { X509Certificate } from "node:crypto";
import { createServer, type ServerHttp2Stream } from "node:http2";
import net, { type Socket } from "node:net";
import tls, { type TlsOptions } from "node:tls";
import { isPeerOfThisUser } from "../support/socketUsers";
import type { ServerCertificate } from "./certificate";
import { frameMessage, grpcPrefixLength, unframeMessage } from "./grpcFrame";

export type RpcMethodHandler = (request: Uint8Array) => Uint8Array | Promise<Uint8Array> | AsyncIterable<Uint8Array>;

export type MethodTable = ReadonlyMap<string, RpcMethodHandler>;

export const grpcStatus = { ok: 0, unknown: 2, invalidArgument: 3, resourceExhausted: 8, unimplemented: 12 };

export class RpcFailure extends Error {
  constructor(
    message: string,
    readonly code = grpcStatus.unknown,
    /** An encoded `google.rpc.Status`. It gives the client details that `message` does not contain. */
    readonly details?: Uint8Array,
  ) {
    super(message);
  }
}

/**
 * In bytes. A request usually has some kilobytes. The check of inputs limits each input, so every request about an
 * accepted resource is within this size.
 */
export const maxRequestBytes = 16 * 1024 * 1024;
const tooLarge = "the request is larger than 16 MiB. Nothing was done. Make the inputs of the resource smaller.";

const options = {
  settings: { initialWindowSize: 1024 * 1024 },
  // The size of headers is not limited, because a failure has the whole state of a resource in its headers.
  maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
};

/**
 * Starts a gRPC server. Each request is one message. No gRPC library is used, because it would double the start time of
 * this process, and an engine starts this process up to three times in a run.
 * @param connected returns the methods for a new connection.
 * @param client the certificate of the only permitted client; undefined for plain text.
 * @param listen the path of a Unix socket that only this user may open, or a port of the loopback address. At a port
 * without TLS, the server closes a connection of another user before it reads a call.
 * @returns the certificate of this server in DER; undefined for plain text.
 */
export async function serveRpc(
  connected: () => MethodTable,
  client: string | undefined,
  listen: { path: string } | { host: string; port: number },
): Promise<{ port: number | undefined; certificate: Buffer | undefined; close(): void }> {
  const encryption = client === undefined ? undefined : await encryptionFor(client);
  const http = createServer(options).on("session", (session) => {
    const methods = connected();
    // An engine may connect only to check that a server listens, and then disappear. Without this handler, the error of
    // such a connection would end this process.
    session.on("error", () => session.destroy());
    session.on("stream", (stream, headers) => {
      const method = methods.get(String(headers[":path"]));
      stream.on("error", () => stream.close());
      if (method === undefined) {
        fail(stream, new RpcFailure("this provider has no such method", grpcStatus.unimplemented));
      } else {
        answer(stream, method).catch((error: unknown) => fail(stream, error));
      }
    });
  });
  const server = listener(encryption, "path" in listen, (socket) => http.emit("connection", socket));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const mask = "path" in listen ? process.umask(0o177) : undefined;
    server.listen(listen, () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" ? address?.port : undefined,
        certificate: encryption?.own.der,
        close: () => server.close(),
      });
    });
    if (mask !== undefined) {
      process.umask(mask);
    }
  });
}

interface Encryption {
  own: ServerCertificate;
  client: X509Certificate;
}

async function encryptionFor(client: string): Promise<Encryption> {
  // A server without encryption does not need this module.
  const { makeCertificate } = await import("./certificate.js");
  return { own: makeCertificate(), client: new X509Certificate(client) };
}

function listener(
  encryption: Encryption | undefined,
  isPrivate: boolean,
  admitted: (socket: Socket) => void,
): net.Server {
  const admit = async (socket: Socket, mayCall: boolean | Promise<boolean>) => {
    // Without this handler, a connection that the client breaks would end this process.
    socket.on("error", () => socket.destroy());
    if ((await mayCall) && !socket.destroyed) {
      admitted(socket);
    } else {
      socket.destroy();
    }
  };
  if (encryption === undefined) {
    return net.createServer((socket) => admit(socket, isPrivate || isPeerOfThisUser(socket)));
  }
  const { own, client } = encryption;
  const protocol: TlsOptions = { ALPNProtocols: ["h2"], minVersion: "TLSv1.2" };
  // The list of authorities is empty. Without a list, Node.js would load its own authorities.
  const secured: TlsOptions = { ...own, ca: [], requestCert: true, rejectUnauthorized: false, ...protocol };
  // If the client has shown the expected certificate, TLS has proved that the client has the certificate's key.
  return tls.createServer(secured, (socket) =>
    admit(socket, socket.getPeerX509Certificate()?.raw.equals(client.raw) ?? false),
  );
}

async function answer(stream: ServerHttp2Stream, method: RpcMethodHandler): Promise<void> {
  const reply = method(unframeMessage(await contentOf(stream)));
  let last: Uint8Array | undefined;
  if (Symbol.asyncIterator in reply) {
    for await (const message of reply) {
      if (stream.destroyed) {
        return;
      }
      begin(stream);
      stream.write(frameMessage(message));
    }
  } else {
    last = await reply;
  }
  if (!stream.destroyed) {
    begin(stream);
    // If there is only one message, it is sent together with the end of the stream.
    stream.end(last && frameMessage(last));
  }
}

/**
 * Reads by events, because a loop over the stream would double the time of a small call.
 * @throws RpcFailure as soon as the request is too large.
 */
function contentOf(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > grpcPrefixLength + maxRequestBytes) {
        chunks.length = 0;
        reject(new RpcFailure(tooLarge, grpcStatus.resourceExhausted));
      } else {
        chunks.push(chunk);
      }
    });
    stream.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  });
}

function begin(stream: ServerHttp2Stream): void {
  if (!stream.headersSent) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(grpcStatus.ok) }));
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
    if (!stream.readableEnded) {
      // Without the delay, Node.js 26 would drop the answer, which is not sent yet.
      setImmediate(() => stream.close());
    }
  }
}
