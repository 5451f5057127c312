import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { isListening } from "../../../../provider/journal/ownerProcess";
import { callRpc } from "../../../../provider/rpc/rpcClient";
import { grpcStatus, RpcFailure, type RpcMethodHandler, serveRpc } from "../../../../provider/rpc/rpcServer";
import { callAs, canBeAnotherUser, listenAs, nobody } from "../../../support/secondUser";
import { temporaryFolder } from "../../../support/temporaryFolder";

const limit = 16 * 1024 * 1024;
const bytes = (value: Uint8Array) => Buffer.from(value);

async function call(method: RpcMethodHandler, request = new Uint8Array(), metadata = new Metadata(), path = "/a.B/C") {
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

it("a method gets its message, and its answer arrives, both larger than a window", async () => {
  const large = new Uint8Array(3_000_000).fill(7);
  const { error, answer } = await call(async (message) => message, large);
  expect(error).toBeNull();
  expect(Buffer.compare(Buffer.from(answer ?? []), large)).toBe(0);
});

it("a failure arrives with its number, and with its lines in any script", async () => {
  const text = "DOCS_X: 100 % of “ä” #1\n  What to do: \ud800 a+b";
  const details = Buffer.of(1, 2, 3);
  const { error } = await call(() => Promise.reject(new RpcFailure(text, grpcStatus.invalidArgument, details)));
  expect(error).toMatchObject({ code: grpcStatus.invalidArgument, details: text.toWellFormed() });
  expect(error?.metadata.get("grpc-status-details-bin")).toEqual([Buffer.from(details)]);
});

describe.skipIf(!canBeAnotherUser())("a port (needs the rights of root)", () => {
  it("gets no line of the log, and is no engine, if another user listens at the engine's port", async () => {
    const { port, received } = await listenAs(nobody);
    await expect(callRpc(`127.0.0.1:${port}`, "/a.B/C", Buffer.from("a line"))).rejects.toThrow("another user");
    expect(await isListening(`127.0.0.1:${port}`)).toBe(false);
    expect(await received()).toBe("");
  });

  it.each(["127.0.0.1", "::ffff:127.0.0.1"])(
    "answers its own user, root, and reads no call of another one, from %s",
    async (host) => {
      const seen: string[] = [];
      const echo: RpcMethodHandler = (message) => {
        seen.push(Buffer.from(message).toString());
        return message;
      };
      const server = await serveRpc(() => new Map([["/a.B/C", echo]]), undefined, { host: "127.0.0.1", port: 0 });
      onTestFinished(() => server.close());
      const calls = (text: string) => [{ path: "/a.B/C", message: Buffer.from(text) }];
      expect(await callAs(0, Number(server.port), calls("ours"), host)).toEqual(["0"]);
      expect(await callAs(nobody, Number(server.port), calls("theirs"), host)).toEqual([null]);
      expect(seen).toEqual(["ours"]);
    },
  );
});

it.each([0, 1])("a message of 16 MiB and %i bytes is refused if it is larger than 16 MiB", async (more) => {
  const sizes: number[] = [];
  const count: RpcMethodHandler = (message) => Uint8Array.of(sizes.push(message.length));
  const { error } = await call(count, new Uint8Array(limit + more));
  expect(sizes).toEqual(more === 0 ? [limit] : []);
  expect(error?.code).toBe(more === 0 ? undefined : grpcStatus.resourceExhausted);
  expect(error?.details).toBe(
    more === 0
      ? undefined
      : "the request is larger than 16 MiB. Nothing was done. Make the inputs of the resource smaller.",
  );
});

it("a message without an end is answered and given up at the limit", async () => {
  const server = await serveRpc(() => new Map([["/a.B/C", (message) => message]]), undefined, {
    host: "127.0.0.1",
    port: 0,
  });
  const session = connect(`http://127.0.0.1:${server.port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const stream = session.request({ ":method": "POST", ":path": "/a.B/C", "content-type": "application/grpc" });
  let status: unknown;
  stream.on("response", (headers) => {
    status = headers["grpc-status"];
  });
  stream.on("error", () => {}).resume();
  const closed = once(stream, "close");
  let sent = 0;
  const write = () => {
    while (!stream.destroyed && sent < 4 * limit && stream.write(Buffer.alloc(65_536, 0xff))) {
      sent += 65_536;
    }
  };
  stream.on("drain", write);
  write();
  await closed;
  expect(status).toBe(String(grpcStatus.resourceExhausted));
  // The client may send more bytes before it gets the answer. The flow control windows allow at most 4 MiB here.
  expect(sent).toBeLessThan(limit + 4 * 1024 * 1024);
});

it("a socket of the file system may be opened by its own user only", async () => {
  const path = join(temporaryFolder(), "socket");
  const server = await serveRpc(() => new Map(), undefined, { path });
  onTestFinished(() => server.close());
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("a method that is not there is not implemented", async () => {
  const { error } = await call(async (message) => message, undefined, undefined, "/a.B/D");
  expect(error?.code).toBe(grpcStatus.unimplemented);
});

it("a client's call ends also where nobody listens, and where the connection breaks; the next one connects again", async () => {
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
  const tell = (path: string) => callRpc(`127.0.0.1:${port}`, path, new Uint8Array()).catch(() => {});
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
