import { describe, expect, it } from "vitest";
import {
  type ClientOperation,
  clientFor,
  clientOperations,
  goodBody,
  rejection,
  testKey,
} from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const link = "https://files.example.com/b/x.tar.gz?X-Amz-Credential=AKIA&X-Amz-Signature=5ecre7";

async function errorOf(operation: ClientOperation, status: number, body: unknown, headers = {}): Promise<Error> {
  const server = await serve(answer(status, body, headers));
  return rejection(clientOperations[operation](clientFor(server.url, { maxRetries: 0 })));
}

const codes: [number, string, RegExp][] = [
  [400, "DOCS_REFUSED", /fix the error that the platform reports/],
  [401, "DOCS_AUTHENTICATION", /DOCS_PLATFORM_API_KEY/],
  [402, "DOCS_PERMISSION", /Enterprise plan/],
  [403, "DOCS_PERMISSION", /Enterprise plan.*write scope.*allow-list/],
  [404, "DOCS_NOT_FOUND", /check the id, the base URL/],
  [409, "DOCS_CONFLICT", /wait until the other job/],
  [410, "DOCS_REFUSED", /fix the error/],
  [422, "DOCS_REFUSED", /fix the error/],
  [429, "DOCS_RATE_LIMIT", /try again later/],
];

describe.each(["startExport", "getExport", "createBundle", "sendMessage", "getAgentJob"] as const)(
  "%s",
  (operation) => {
    it.each(codes)("HTTP %i is %s, with the platform's own text and a remedy", async (status, code, remedy) => {
      const error = await errorOf(operation, status, { error: "the platform's own text" });
      expect(error).toMatchObject({ code });
      expect(error.message).toContain(`HTTP ${status}: the platform's own text`);
      expect(error.message.split("\n").at(-1)).toMatch(/^ {2}What to do: /);
      expect(error.message).toMatch(remedy);
    });

    it.each([400, 401, 403, 404, 409, 429, 500])("HTTP %i echoes no key, header or signed link", async (status) => {
      for (const body of [
        { error: `key ${testKey} in Authorization: Bearer ${testKey}; link ${link}` },
        { error: { message: `"Bearer ${testKey}"`, link } },
        { message: link },
        `Bearer ${testKey} ${link}`,
        `{"broken": "${testKey}", "link": "${link}"`,
        `${"x".repeat(280)} ${link}`,
        `${"x".repeat(290)} ${testKey}`,
      ]) {
        const { message, stack } = await errorOf(operation, status, body);
        expect(message + stack).not.toContain(testKey);
        expect(message + stack).not.toContain("0123456789");
        expect(message + stack).not.toContain("5ecre7");
        expect(message + stack).not.toContain("AKIA");
      }
    });
  },
);

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

  it.each([
    ["3", "try again in 3s, as the platform asks"],
    ["120", "try again in 2m, as the platform asks"],
  ])("Retry-After %s on the last try is told", async (header, text) => {
    expect((await errorOf("getExport", 429, {}, { "retry-after": header })).message).toContain(text);
  });
});

describe("the words of a failed job", () => {
  const jobError = async (error: unknown) => {
    const server = await serve(answer(200, { ...goodBody, status: "failed", error }));
    return (await clientOperations.getExport(clientFor(server.url))).error;
  };

  it.each([
    ["a text", "page /a is missing", "page /a is missing"],
    ["an object", { code: 3, message: "page /a is missing" }, "page /a is missing"],
    ["lines and control characters", "\u001b[1mError\n    at f (x.js:1:1)\n", "[1mError at f (x.js:1:1)"],
    ["nothing", undefined, undefined],
    ["a blank", "  ", undefined],
    ["a number", 3, undefined],
  ])("are one line, from %s", async (_, error, text) => {
    expect(await jobError(error)).toBe(text);
  });

  it("are 300 characters at most", async () => {
    expect(await jobError("z".repeat(5_000))).toBe(`${"z".repeat(300)}…`);
  });

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
