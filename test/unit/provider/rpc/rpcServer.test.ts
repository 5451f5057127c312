import { once } from "node:events";
import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { RpcClient } from "../../../../provider/rpc/rpcClient";
import { grpcStatus, type Method, RpcFailure, serveRpc } from "../../../../provider/rpc/rpcServer";

const bytes = (value: Uint8Array) => Buffer.from(value);

/** Calls a method with the gRPC library. */
async function call(method: Method, request = new Uint8Array(), metadata = new Metadata(), path = "/a.B/C") {
  const server = await serveRpc(() => new Map([["/a.B/C", method]]), undefined, { host: "127.0.0.1", port: 0 });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return new Promise<{ error: ServiceError | null; answer: Uint8Array | undefined }>((resolve) => {
    client.makeUnaryRequest(
      path,
      bytes,
      (value) => value,
      request,
      metadata,
      (error, answer) => resolve({ error, answer }),
    );
  });
}

it("a method gets its message and the headers, and its answer arrives, both larger than a window", async () => {
  const large = new Uint8Array(3_000_000).fill(7);
  const metadata = new Metadata();
  metadata.set("traceparent", "00-1");
  let seen: unknown;
  const echo: Method = async (message, { traceparent }) => {
    seen = traceparent;
    return message;
  };
  const { error, answer } = await call(echo, large, metadata);
  expect([error, seen]).toEqual([null, "00-1"]);
  expect(Buffer.compare(Buffer.from(answer ?? []), large)).toBe(0);
});

it("a failure arrives with its number, and with its lines in any script", async () => {
  const text = "DOCS_X: 100 % of “ä” #1\n  What to do: \ud800 a+b";
  const details = Buffer.of(1, 2, 3);
  const { error } = await call(() => Promise.reject(new RpcFailure(text, grpcStatus.invalidArgument, details)));
  expect(error).toMatchObject({ code: grpcStatus.invalidArgument, details: text.toWellFormed() });
  expect(error?.metadata.get("grpc-status-details-bin")).toEqual([Buffer.from(details)]);
});

it("a method that is not there is not implemented", async () => {
  const { error } = await call(async (message) => message, undefined, undefined, "/a.B/D");
  expect(error?.code).toBe(grpcStatus.unimplemented);
});

it("a client's call ends also where nobody listens, and where the connection breaks; the next one connects anew", async () => {
  const seen: string[] = [];
  const sessions: Http2Session[] = [];
  const server = createServer().on("session", (session) => sessions.push(session));
  server.on("stream", (stream, headers) => {
    seen.push(String(headers[":path"]));
    if (seen.length === 1) {
      stream.session?.destroy();
    } else {
      stream.respond({ ":status": 200, "grpc-status": "0" }, { endStream: true });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = new RpcClient(`127.0.0.1:${port}`);
  const tell = (path: string) => client.call(path, new Uint8Array()).catch(() => {});
  for (const path of ["/a", "/b", "/c"]) {
    await tell(path);
  }
  expect([seen, sessions.length]).toEqual([["/a", "/b", "/c"], 2]);
  server.close();
  for (const session of sessions) {
    session.destroy();
  }
  await tell("/d");
  await tell("/e");
  expect(seen).toHaveLength(3);
});
