import { describe, expect, it } from "vitest";
import { type ClientOperation, clientFor, clientOperations, rejection } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

async function errorOf(operation: ClientOperation, status: number, body: unknown, headers = {}): Promise<Error> {
  const server = await serve(answer(status, body, headers));
  return rejection(clientOperations[operation](clientFor(server.url, { maxRetries: 0 })));
}

it.each([403, 404])("HTTP %i to a message names projectId, and where it is found", async (status) => {
  const { message } = await errorOf("sendMessage", status, {});
  expect(message).toMatch(/What to do: .*projectId \(the API keys page of the dashboard shows the project id\)/);
});

describe("the platform's text", () => {
  it.each([
    ["{error}", { error: "said" }],
    ["{message}", { message: "said" }],
    ["{detail}", { detail: "said" }],
    ["{error: {message}}", { error: { message: "said" } }],
    ["a JSON string", '"said"'],
    ["plain text", "said"],
    ["text over lines", { error: "\n  said \r\n\t" }],
  ])("is read from %s", async (_, body) => {
    expect((await errorOf("getExport", 400, body)).message).toContain("HTTP 400: said.\n");
  });

  it.each([
    ["nothing", ""],
    ["an empty object", {}],
    ["null", "null"],
    ["a blank error", { error: " " }],
    ["a number", "42"],
  ])("may be missing: %s", async (_, body) => {
    expect((await errorOf("getExport", 400, body)).message).toContain("HTTP 400.\n");
  });

  it("is named as a page, and not shown, where it is one", async () => {
    const { message } = await errorOf("getExport", 403, "<!doctype html><title>Sign in</title>");
    expect(message).toContain("an HTML or XML page, perhaps from a proxy");
    expect(message).not.toContain("doctype");
  });

  it("is one line of 300 characters at most, without control characters or a stack", async () => {
    const { message } = await errorOf("getExport", 400, {
      error: `\u001b[31mTypeError\n    at f (x.js:1:1)\n${"y".repeat(9_999)}`,
    });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).toContain("TypeError at f");
    expect(message).not.toContain("\u001b");
    expect(message.length).toBeLessThan(600);
  });

  it("may be nested without end, and is then passed over", async () => {
    const depth = 25_000;
    const { message } = await errorOf("getExport", 400, `${'{"error":'.repeat(depth)}1${"}".repeat(depth)}`);
    expect(message).toContain("HTTP 400");
  });
});

describe("the words of a failed job", () => {
  it("may be nested without end, and are then passed over", async () => {
    const depth = 25_000;
    const body = `{"status":"failed","error":${'{"error":'.repeat(depth)}1${"}".repeat(depth)}}`;
    const server = await serve(answer(200, body));
    await expect(clientOperations.getExport(clientFor(server.url))).resolves.toMatchObject({
      status: "failed",
      error: undefined,
    });
  });
});
