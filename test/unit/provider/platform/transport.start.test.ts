import net from "node:net";
import tls from "node:tls";
import { describe, expect, it } from "vitest";
import { AmbiguousStartError, ConnectionError } from "../../../../provider/support/errors";
import { unusedPort } from "../../../../tools/processes/serverProcess";
import { untrusted } from "../../../support/certificate";
import {
  type ClientUnderTest,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, closed, listen, type Reply, reset, serve, silence, torn } from "../../../support/loopback";

const sentOnce = ["startExport", "sendMessage"] as const;

describe.each(sentOnce)("%s is repeated where it surely did not reach the platform", (name) => {
  const operation = clientOperations[name];

  it("after a refused connection", async () => {
    const client = clientFor(`http://127.0.0.1:${await unusedPort()}`);
    const error = await rejection(operation(client));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain("ECONNREFUSED");
    expect(client.clock.sleeps).toHaveLength(2);
  });

  it("after a host name that is not known", async () => {
    const client = clientFor("https://no-such-host.invalid");
    const error = await rejection(operation(client));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(client.clock.sleeps).toHaveLength(2);
  });

  it("after a connection that could not be made in time", async () => {
    // A TLS handshake that is never answered, so the connection is never established.
    const server = await listen(net.createServer(), "https");
    const client = clientFor(server.url, { connectTimeout: 50, maxRetries: 1 });
    const error = await rejection(operation(client));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain("could not be made in time");
    expect(server.connections).toBe(2);
  });

  it("after the limit of one request ended before the connection stood", async () => {
    const server = await listen(net.createServer(), "https");
    const client = clientFor(server.url, { requestTimeout: 50 });
    expect(await rejection(operation(client))).toMatchObject({ code: "DOCS_TIMEOUT", doubtful: false });
    expect(server.connections).toBe(3);
  });

  it("after a certificate that is not trusted, and nothing is sent", async () => {
    let received = 0;
    const server = await listen(
      tls.createServer(untrusted, (socket) => socket.on("data", () => received++).on("error", () => {})),
      "https",
    );
    const error = await rejection(operation(clientFor(server.url)));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain("self-signed");
    expect(error.message).toContain("NODE_EXTRA_CA_CERTS");
    expect(server.connections).toBe(3);
    expect(received).toBe(0);
  });

  it("after a server that speaks no TLS", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url.replace("http:", "https:"));
    expect(await rejection(operation(client))).toBeInstanceOf(ConnectionError);
    expect(server.connections).toBe(3);
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ["429", answer(429, { error: "busy" }), "DOCS_RATE_LIMIT"],
    ["429 with Retry-After", answer(429, { error: "busy" }, { "retry-after": "3" }), "DOCS_RATE_LIMIT"],
    ["503 with Retry-After", answer(503, { error: "down" }, { "retry-after": "3" }), "DOCS_SERVER"],
  ])("after %s, and then fails without doubt", async (_, reply, code) => {
    const server = await serve(reply);
    expect(await rejection(operation(clientFor(server.url)))).toMatchObject({ code, doubtful: false });
    expect(server.requests).toHaveLength(3);
  });

  it("and one that is accepted ends it", async () => {
    const server = await serve(answer(429, {}), answer(503, {}, { "retry-after": "1" }), answer(202, goodBody));
    await expect(operation(clientFor(server.url))).resolves.toBeTypeOf("object");
    expect(server.requests).toHaveLength(3);
  });
});

describe.each(sentOnce)("%s, whose answer is lost, is never repeated", (name) => {
  const operation = clientOperations[name];
  const lost: [string, Reply][] = [
    ["a reset after the request was read", reset],
    ["a connection closed without an answer", closed],
    ["an answer that breaks off", torn],
    ["no answer in time", silence],
    ["408", answer(408, { error: "slow" })],
    ["500", answer(500, { error: "oops" })],
    ["502", answer(502, "<html>Bad Gateway</html>")],
    ["503 without Retry-After", answer(503, { error: "down" })],
    ["503 with a Retry-After that says nothing", answer(503, { error: "down" }, { "retry-after": "soon" })],
    ["504", answer(504, "")],
  ];

  it.each(lost)("%s", async (_, reply) => {
    const server = await serve(reply);
    const client = clientFor(server.url, { requestTimeout: reply === silence ? 500 : 5_000 });
    const error = await rejection(operation(client));
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error).toMatchObject({ code: "DOCS_AMBIGUOUS_START", doubtful: true });
    expect(server.requests).toHaveLength(1);
    expect(client.clock.sleeps).toEqual([]);
  });

  it.each([
    ["no field", "{}"],
    ["blank fields", '{"jobId":" ","status":" "}'],
    ["no JSON", "<html></html>"],
    ["nothing", ""],
  ])("a 2xx answer with %s is doubtful", async (_, body) => {
    const server = await serve(answer(200, body));
    const error = await rejection(operation(clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(sentOnce)("%s, which is refused, is not repeated, and not doubtful", (name) => {
  const operation = clientOperations[name];

  it.each([302, 307, 400, 401, 403, 404, 409, 422])("HTTP %i", async (status) => {
    const server = await serve(answer(status, { error: "no" }));
    expect(await rejection(operation(clientFor(server.url)))).toMatchObject({ doubtful: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(sentOnce)("what happens around each try of %s", (name) => {
  function recorded() {
    const steps: string[] = [];
    const once = {
      idempotencyKey: "one-key",
      before: async () => void steps.push("before"),
      refused: async () => void steps.push("refused"),
    };
    const call = (client: ClientUnderTest) =>
      name === "startExport"
        ? client.startExport("a.test", { signal: never, once })
        : client.sendMessage({ projectId: "docs", id: "agent-1" }, "Go on.", { signal: never, once });
    return { steps, once, call };
  }

  it("is told before it, and after it where it surely was not accepted; every try carries the same key", async () => {
    const server = await serve(answer(429, {}), answer(503, {}, { "retry-after": "1" }), answer(200, goodBody));
    const { steps, call } = recorded();
    await call(clientFor(server.url));
    expect(steps).toEqual(["before", "refused", "before", "refused", "before"]);
    expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(Array(3).fill("one-key"));
  });

  it("is not told to be refused where it may have been accepted", async () => {
    for (const reply of [answer(500, {}), silence, answer(200, "{}")]) {
      const server = await serve(reply);
      const { steps, call } = recorded();
      await rejection(call(clientFor(server.url, { requestTimeout: 300 })));
      expect(steps).toEqual(["before"]);
    }
  });

  it("is told where no connection could be made: it was not sent", async () => {
    const { steps, call } = recorded();
    await rejection(call(clientFor(`http://127.0.0.1:${await unusedPort()}`, { maxRetries: 0 })));
    expect(steps).toEqual(["before", "refused"]);
  });

  it("may forbid the sending", async () => {
    const server = await serve(answer(200, goodBody));
    const { once, call } = recorded();
    once.before = () => Promise.reject(new Error("not now"));
    expect((await rejection(call(clientFor(server.url)))).message).toBe("not now");
    expect(server.requests).toEqual([]);
  });
});

describe("connections", () => {
  it("ten looks in turn go over one connection", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url);
    for (let look = 0; look < 10; look++) {
      await clientOperations.getExport(client);
      // The connection is free again in the next turn of the event loop. Two polls of a job are never that close.
      await new Promise(setImmediate);
    }
    expect(server.requests).toHaveLength(10);
    expect(server.connections).toBe(1);
  });

  it.each(sentOnce)("%s never goes over a kept-alive connection, and leaves none behind", async (name) => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url);
    await clientOperations.getExport(client);
    await new Promise(setImmediate);
    expect(server.connections).toBe(1);
    await clientOperations[name](client);
    expect(server.connections).toBe(2);
    await clientOperations[name](client);
    expect(server.connections).toBe(3);
    await clientOperations.getExport(client);
    expect(server.connections).toBe(3);
  });

  it.each(sentOnce)("each try of %s has a connection of its own", async (name) => {
    const server = await serve(answer(429, {}), answer(429, {}), answer(200, goodBody));
    await clientOperations[name](clientFor(server.url));
    expect(server.connections).toBe(3);
  });
});
