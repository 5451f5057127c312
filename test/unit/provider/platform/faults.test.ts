import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  agentKey,
  type ClientOperation,
  type ClientUnderTest,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, closed, type Reply, reset, serve, silence, torn } from "../../../support/loopback";
import { requestLimit } from "../../../support/requestLimit";
import { temporaryFolder } from "../../../support/temporaryFolder";

/**
 * `repeated`: the client repeats every request. `doubtful`: the client repeats only a request that may be sent twice.
 * `final`: the client repeats no request.
 */
type End = "repeated" | "doubtful" | "final";

const said = { error: "the platform's own text" };
const withTime = { "retry-after": "3" };
const faults: [name: string, Reply, End, code: string, remedy?: RegExp][] = [
  ["429", answer(429, said), "repeated", "DOCS_RATE_LIMIT", /try again later/],
  ["429 with a time", answer(429, said, withTime), "repeated", "DOCS_RATE_LIMIT", /try again in 3s, as the platform/],
  ["503 with a time", answer(503, said, withTime), "repeated", "DOCS_SERVER", /try again later/],
  ["503", answer(503, said), "doubtful", "DOCS_SERVER"],
  ["503 with a time that says nothing", answer(503, said, { "retry-after": "soon" }), "doubtful", "DOCS_SERVER"],
  ["500", answer(500, said), "doubtful", "DOCS_SERVER"],
  ["502 with a page", answer(502, "<html>Bad Gateway</html>"), "doubtful", "DOCS_SERVER"],
  ["504", answer(504, ""), "doubtful", "DOCS_SERVER"],
  ["408", answer(408, said), "doubtful", "DOCS_SERVER"],
  ["a reset connection", reset, "doubtful", "DOCS_CONNECTION"],
  ["a connection closed without an answer", closed, "doubtful", "DOCS_CONNECTION"],
  ["an answer that breaks off", torn, "doubtful", "DOCS_CONNECTION"],
  ["a late answer", silence, "doubtful", "DOCS_TIMEOUT"],
  ["300", answer(300, ""), "final", "DOCS_REFUSED", /base URL/],
  ["304", answer(304, ""), "final", "DOCS_REFUSED", /base URL/],
  ["400", answer(400, said), "final", "DOCS_REFUSED", /fix the error/],
  ["418", answer(418, said), "final", "DOCS_REFUSED", /fix the error/],
  ["405", answer(405, said), "final", "DOCS_REFUSED", /another path or method.*DOCS_PLATFORM_ROUTES/],
  ["501", answer(501, said), "final", "DOCS_REFUSED", /another path or method.*DOCS_PLATFORM_ROUTES/],
  ["401", answer(401, said), "final", "DOCS_AUTHENTICATION", /DOCS_PLATFORM_API_KEY/],
  ["402", answer(402, said), "final", "DOCS_PERMISSION", /Enterprise plan/],
  ["403", answer(403, said), "final", "DOCS_PERMISSION", /Enterprise plan.*write scope.*allow-list/],
  ["404", answer(404, said), "final", "DOCS_NOT_FOUND", /check the (id, the )?base URL/],
  [
    "404 of a page",
    answer(404, "<html></html>"),
    "final",
    "DOCS_REFUSED",
    /base URL or a path is wrong.*_BASE_URL.*_ROUTES/,
  ],
  ["409", answer(409, said), "final", "DOCS_CONFLICT", /wait until the running job/],
];

const sentOnce: readonly ClientOperation[] = ["startExport", "sendMessage"];

/** Returns a call of the operation, and `steps`: the methods of the guard `once` that the client has called. */
function guarded(operation: ClientOperation) {
  const steps: string[] = [];
  const once = {
    idempotencyKey: "one-key",
    before: async () => void steps.push("before"),
    refused: async () => void steps.push("refused"),
  };
  const options = { signal: never, once };
  const call = (client: ClientUnderTest): Promise<unknown> =>
    operation === "startExport"
      ? client.startExport("docs.example.com", options)
      : operation === "sendMessage"
        ? client.sendMessage(agentKey, "Go on.", options)
        : clientOperations[operation](client);
  return { steps, once, call };
}

describe.each(Object.keys(clientOperations) as ClientOperation[])("%s", (operation) => {
  const isOnce = sentOnce.includes(operation);

  it.each(faults)("ends after %s as the table says", async (_, reply, end, code, remedy) => {
    const { requestTimeout, pass } = requestLimit();
    const server = await serve(reply === silence ? pass : reply);
    const { steps, call } = guarded(operation);
    const client = clientFor(server.url, { requestTimeout });
    const error = await rejection(call(client));
    const isDoubtful = end === "doubtful" && isOnce;
    const tries = end === "final" || isDoubtful ? 1 : 3;
    expect(error).toMatchObject({ code: isDoubtful ? "DOCS_AMBIGUOUS_START" : code });
    expect((error as { doubtful?: boolean }).doubtful ?? false).toBe(isDoubtful);
    expect(server.requests).toHaveLength(tries);
    expect(steps).toEqual(
      isOnce
        ? Array(tries)
            .fill(isDoubtful ? ["before"] : ["before", "refused"])
            .flat()
        : [],
    );
    expect(error.message.split("\n").at(-1)).toMatch(/^ {2}What to do: /);
    if (!isDoubtful) {
      expect(error.message).toMatch(remedy ?? /./);
    }
  });

  const passing = faults.filter(([, , end]) => end === "repeated" || (end === "doubtful" && !isOnce));
  it.each(passing)("gives the value once %s has passed", async (_, reply) => {
    const { requestTimeout, pass } = requestLimit();
    const missed = reply === silence ? pass : reply;
    const server = await serve(missed, missed, answer(200, goodBody));
    const { steps, call } = guarded(operation);
    await expect(call(clientFor(server.url, { requestTimeout }))).resolves.toBeDefined();
    expect(steps).toEqual(isOnce ? ["before", "refused", "before", "refused", "before"] : []);
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(Array(3).fill(isOnce ? "one-key" : undefined));
  });

  it("is sent again with the new key after 401, where the key has rotated", async () => {
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, "svc_first");
    const server = await serve(
      (response, seen) => {
        writeFileSync(file, " svc_second\n");
        answer(401, said)(response, seen);
      },
      answer(200, goodBody),
    );
    const client = clientFor(server.url, { apiKey: { file, from: "DOCS_PLATFORM_API_KEY_FILE" } });
    await expect(guarded(operation).call(client)).resolves.toBeDefined();
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer svc_first",
      "Bearer svc_second",
    ]);
    expect(client.clock.sleeps).toEqual([]);
  });

  it.each(["{}", '{"jobId":" ","status":" "}', ""])("is not repeated after a 2xx answer of %j", async (body) => {
    const server = await serve(answer(200, body));
    const { steps, call } = guarded(operation);
    const error = await rejection(call(clientFor(server.url)));
    expect(error).toMatchObject({ code: "DOCS_RESPONSE_SHAPE", doubtful: isOnce });
    expect(server.requests).toHaveLength(1);
    expect(steps).toEqual(isOnce ? ["before"] : []);
  });

  it("counts as refused after a 2xx answer that is a web page, and is not repeated", async () => {
    const server = await serve(answer(200, "<!doctype html><title>Docs made easy</title>"));
    const { steps, call } = guarded(operation);
    const error = await rejection(call(clientFor(server.url)));
    expect(error).toMatchObject({ code: isOnce ? "DOCS_REFUSED" : "DOCS_RESPONSE_SHAPE", doubtful: false });
    expect(error.message).toMatch(/this address serves web pages: check the base URL in DOCS_PLATFORM_BASE_URL/);
    expect(server.requests).toHaveLength(1);
    expect(steps).toEqual(isOnce ? ["before", "refused"] : []);
  });

  it.each([0, 1])("is tried once and %i times more, as maxRetries says", async (maxRetries) => {
    const server = await serve(answer(429, ""));
    await rejection(clientOperations[operation](clientFor(server.url, { maxRetries })));
    expect(server.requests).toHaveLength(1 + maxRetries);
  });
});

it.each(sentOnce)("%s is not sent where its guard forbids it", async (operation) => {
  const server = await serve(answer(200, goodBody));
  const { once, call } = guarded(operation);
  once.before = () => Promise.reject(new Error("not now"));
  expect((await rejection(call(clientFor(server.url)))).message).toBe("not now");
  expect(server.requests).toEqual([]);
});
