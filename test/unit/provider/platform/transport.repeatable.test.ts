import { describe, expect, it } from "vitest";
import { clientFor, clientOperations, goodBody, rejection } from "../../../support/clientUnderTest";
import { answer, closed, type Reply, reset, serve, silence, torn } from "../../../support/loopback";

const html = answer(502, "<html><body>Bad Gateway</body></html>", { "content-type": "text/html" });

const passing: [string, Reply, string][] = [
  ["a reset connection", reset, "DOCS_CONNECTION"],
  ["a connection closed without an answer", closed, "DOCS_CONNECTION"],
  ["an answer that breaks off", torn, "DOCS_CONNECTION"],
  ["no answer in time", silence, "DOCS_TIMEOUT"],
  ["408", answer(408, { error: "slow" }), "DOCS_SERVER"],
  ["429", answer(429, { error: "busy" }), "DOCS_RATE_LIMIT"],
  ["500", answer(500, { error: "oops" }), "DOCS_SERVER"],
  ["502 with an HTML page", html, "DOCS_SERVER"],
  ["503", answer(503, { error: "down" }), "DOCS_SERVER"],
];

const lasting: [number, string][] = [
  [300, "DOCS_REFUSED"],
  [301, "DOCS_REFUSED"],
  [302, "DOCS_REFUSED"],
  [304, "DOCS_REFUSED"],
  [307, "DOCS_REFUSED"],
  [308, "DOCS_REFUSED"],
  [400, "DOCS_REFUSED"],
  [401, "DOCS_AUTHENTICATION"],
  [402, "DOCS_PERMISSION"],
  [403, "DOCS_PERMISSION"],
  [404, "DOCS_NOT_FOUND"],
  [409, "DOCS_CONFLICT"],
  [418, "DOCS_REFUSED"],
];

describe.each(["getExport", "createBundle", "getAgentJob"] as const)("%s may be repeated", (operation) => {
  it.each(passing)("and is, after %s, up to maxRetries, then fails with a typed error", async (_, reply, code) => {
    const server = await serve(reply);
    const client = clientFor(server.url, { requestTimeout: reply === silence ? 50 : 5_000 });
    const error = await rejection(clientOperations[operation](client));
    expect(error).toMatchObject({ code, doubtful: false });
    expect(server.requests).toHaveLength(3);
    expect(client.clock.sleeps).toHaveLength(2);
  });

  it.each(passing)("and gives the value once %s has passed", async (_, reply) => {
    const server = await serve(reply, reply, answer(200, goodBody));
    const client = clientFor(server.url, { requestTimeout: reply === silence ? 100 : 5_000 });
    await expect(clientOperations[operation](client)).resolves.toBeTypeOf("object");
    expect(server.requests).toHaveLength(3);
  });

  it.each(lasting)("but is not after HTTP %i, which is %s", async (status, code) => {
    const server = await serve(answer(status, status === 304 ? "" : { error: "no" }));
    const client = clientFor(server.url);
    const error = await rejection(clientOperations[operation](client));
    expect(error).toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
    expect(client.clock.sleeps).toEqual([]);
  });

  it("but is not after a 2xx answer whose body says nothing, and nothing is doubtful then", async () => {
    const server = await serve(answer(200, {}));
    const error = await rejection(clientOperations[operation](clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: false });
    expect(server.requests).toHaveLength(1);
  });

  it("but is sent once only where maxRetries is 0", async () => {
    const server = await serve(answer(500, ""));
    await rejection(clientOperations[operation](clientFor(server.url, { maxRetries: 0 })));
    expect(server.requests).toHaveLength(1);
  });
});

describe("what is sent", () => {
  it("is the method, path, header and body of the API text", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(`${server.url}/admin`);
    await clientOperations.startExport(client);
    await clientOperations.getExport(client);
    await clientOperations.createBundle(client);
    await clientOperations.sendMessage(client);
    await clientOperations.getAgentJob(client);
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
    expect(server.requests.map(({ headers }) => headers["content-type"])).toEqual([
      "application/json",
      undefined,
      undefined,
      "application/json",
      undefined,
    ]);
  });

  it("keeps the length of an empty bundle request explicit, as a POST without a body needs it", async () => {
    const server = await serve(answer(200, goodBody));
    await clientOperations.createBundle(clientFor(server.url));
    expect(server.requests[0]?.headers["content-length"]).toBe("0");
  });

  it("is limited in the answer's size: an endless body is given up, as a connection error", async () => {
    const server = await serve((response) => {
      response.writeHead(200);
      response.end(Buffer.alloc(5 * 1024 * 1024, " "));
    });
    const error = await rejection(clientOperations.getExport(clientFor(server.url, { maxRetries: 0 })));
    expect(error).toMatchObject({ code: "DOCS_CONNECTION" });
    expect(error.message).toContain("larger than any answer");
  });
});
