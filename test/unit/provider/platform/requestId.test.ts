import { describe, expect, it } from "vitest";
import { requestIdOf } from "../../../../provider/platform/connection";
import { clientFor, clientOperations, goodBody, never, rejection } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const found = (headers: Record<string, string>) => requestIdOf({ kind: "answer", status: 200, headers, text: "" });

describe("a request's id", () => {
  it.each(["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"])(
    "is read from %s",
    (name) => {
      expect(found({ [name]: "4f2a-91.b=" })).toBe("4f2a-91.b=");
    },
  );

  it.each(["", "two words", "a\nb", "<b>", "x".repeat(101)])("is none where it does not look like one: %j", (text) => {
    expect(found({ "x-request-id": text })).toBeUndefined();
  });
});

describe("the log of a run that is debugged", () => {
  it("has one line for each try of a request: method, path, status, time, attempt, id and rest", async () => {
    const limited = answer(429, { error: "slow down" }, { "retry-after": "7", "x-request-id": "req-1" });
    const broken = answer(503, { error: "down" });
    const server = await serve(limited, broken, answer(200, goodBody, { "x-request-id": "req-3" }));
    const client = clientFor(server.url);
    await clientOperations.getExport(client);
    const line = (rest: string) => expect.stringMatching(new RegExp(`^GET /v1/static-export/jobs/job-1: ${rest}$`));
    expect(client.traced).toEqual([
      line("429, \\d+ ms, attempt 1, request id req-1, tried again in 7s, as the platform asks"),
      line("503, \\d+ ms, attempt 2, tried again in \\w+"),
      line("200, \\d+ ms, attempt 3, request id req-3"),
    ]);
  });

  it("contains no key, no body and no link, also where the platform echoes them", async () => {
    const secret = "https://files.test/b?sig=abc%2Fdef svc_test-key-0123456789";
    const server = await serve(answer(400, { error: secret }, { "x-request-id": "svc_test-key-0123456789" }));
    const client = clientFor(server.url);
    const error = await rejection(client.createBundle("a?sig=b/svc_secret-0123456", { signal: never }));
    expect(client.traced.join()).toMatch(/^POST .*: 400, \d+ ms, attempt 1, request id (svc_)?\[redacted\]$/);
    expect(client.traced.join() + error.message).not.toMatch(/test-key|sig=abc|secret-0123456/);
  });

  it("shows of a request without an answer why there is none", async () => {
    const client = clientFor("http://127.0.0.1:9", { maxRetries: 0 });
    await rejection(clientOperations.getExport(client));
    expect(client.traced).toEqual([expect.stringMatching(/^GET .*: no answer, \d+ ms, attempt 1, .*ECONNREFUSED/)]);
  });
});

it.each([
  ["a refusal", clientOperations.getExport, answer(403, {}, { "x-request-id": "req-1" })],
  ["a lost answer", clientOperations.startExport, answer(500, {}, { "x-request-id": "req-1" })],
  ["an answer that cannot be understood", clientOperations.getExport, answer(200, {}, { "x-request-id": "req-1" })],
])("an error of %s names the request's id", async (_, ask, told) => {
  const error = await rejection(ask(clientFor((await serve(told)).url)));
  expect(error.message).toContain("(request id req-1)");
});
