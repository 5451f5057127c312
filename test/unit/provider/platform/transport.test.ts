import net from "node:net";
import tls from "node:tls";
import { describe, expect, it } from "vitest";
import { ConnectionError } from "../../../../provider/support/errors";
import { untrusted } from "../../../support/certificate";
import {
  agentKey,
  type ClientUnderTest,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, closedPort, listen, serve } from "../../../support/loopback";

const sentOnce = ["startExport", "sendMessage"] as const;

describe.each(sentOnce)("%s is repeated where it surely did not reach the platform", (name) => {
  /** Calls the operation, which fails. Returns the error, and the names of the methods of `once` that were called. */
  async function failed(client: ClientUnderTest) {
    const steps: string[] = [];
    const note = (step: string) => async () => void steps.push(step);
    const options = {
      signal: never,
      once: { idempotencyKey: "one", before: note("before"), refused: note("refused") },
    };
    const call = () =>
      name === "startExport" ? client.startExport("a.test", options) : client.sendMessage(agentKey, "Go on.", options);
    return { error: await rejection(call()), steps };
  }

  // This server accepts connections but never answers a TLS handshake.
  const mute = async () => (await listen(net.createServer(), "https")).url;

  it.each<[string, () => Promise<string>, object, RegExp]>([
    ["a refused connection", async () => `http://127.0.0.1:${closedPort}`, {}, /ECONNREFUSED/],
    ["a host name that is not known", async () => "https://no-such-host.invalid", {}, /ENOTFOUND|EAI_AGAIN/],
    ["a connection that could not be made in time", mute, { connectTimeout: 50 }, /could not be made in time/],
    ["the limit of one request ended before the connection stood", mute, { requestTimeout: 50 }, /DOCS_TIMEOUT/],
    [
      "a server that speaks no TLS",
      async () => (await serve(answer(200, goodBody))).url.replace("http:", "https:"),
      {},
      /DOCS_CONNECTION/,
    ],
  ])("after %s, and shows the guard so", async (_, address, settings, told) => {
    const { error, steps } = await failed(clientFor(await address(), settings));
    expect(error).toMatchObject({ doubtful: false, message: expect.stringMatching(told) });
    expect(steps).toEqual(Array(3).fill(["before", "refused"]).flat());
  });

  it("after a certificate that is not trusted, and nothing is sent", async () => {
    let received = 0;
    const server = await listen(
      tls.createServer(untrusted, (socket) => socket.on("data", () => received++).on("error", () => {})),
      "https",
    );
    const { error } = await failed(clientFor(server.url));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/self-signed.*NODE_EXTRA_CA_CERTS/s);
    expect([server.connections, received]).toEqual([3, 0]);
  });
});

describe("connections", () => {
  it("ten looks in turn go over one connection", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url);
    for (let look = 0; look < 10; look++) {
      await clientOperations.getExport(client);
      // The client releases the connection in the next step of the event loop, so the test waits for this step.
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
});

describe("what is sent", () => {
  it("is the method, path, header and body of the API text", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(`${server.url}/admin`);
    for (const operation of Object.values(clientOperations)) {
      await operation(client);
    }
    expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'POST /admin/v1/static-export/jobs {"domain":"docs.example.com"}',
      "GET /admin/v1/static-export/jobs/job-1 ",
      "POST /admin/v1/static-export/jobs/job-1/bundle ",
      'POST /admin/v2/agent/docs/job/agent-1/message {"prompt":"Go on."}',
      "GET /admin/v2/agent/docs/job/agent-1 ",
    ]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(5).fill("Bearer svc_test-key-0123456789"),
    );
    const json = "application/json";
    const types = server.requests.map(({ headers }) => headers["content-type"]);
    expect(types).toEqual([json, undefined, undefined, json, undefined]);
  });

  it("keeps the length of an empty bundle request explicit, as a POST without a body needs it", async () => {
    const server = await serve(answer(200, goodBody));
    await clientOperations.createBundle(clientFor(server.url));
    expect(server.requests[0]?.headers["content-length"]).toBe("0");
  });

  it("is limited in the answer's size: an endless body is given up, as a connection error", async () => {
    const server = await serve((response) => {
      response.writeHead(200);
      response.end(Buffer.alloc(9 * 1024 * 1024, " "));
    });
    const error = await rejection(clientOperations.getExport(clientFor(server.url, { maxRetries: 0 })));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION" });
    expect(error.message).toMatch(
      /the answer is too large: at most 8 MiB are read.*\n.*\n.*\n.*check that the base URL/,
    );
  });
});
