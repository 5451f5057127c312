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
  const domain = "domain: is no host name";
  it.each([
    ["Spring", { timestamp: "2026-03-01", status: 400, error: "Bad Request", path: "/v1" }, "Bad Request"],
    [
      "NestJS",
      { statusCode: 400, message: [domain, "too long"], error: "Bad Request" },
      `Bad Request: ${domain}; too long`,
    ],
    ["Fastify", { statusCode: 400, error: "Bad Request", message: domain }, `Bad Request: ${domain}`],
    ["Rails", { errors: { domain: ["is no host name"] } }, domain],
    ["Laravel", { message: "Invalid.", errors: { domain: ["is no host name"] } }, `Invalid.: ${domain}`],
    ["Django", { domain: ["is no host name"] }, domain],
    ["FastAPI", { detail: [{ loc: ["body", "domain"], msg: "is no host name", type: "value" }] }, `body.${domain}`],
    [
      "ASP.NET, as a problem of RFC 9457",
      { type: "https://example.com/e", title: "Invalid", status: 400, errors: { domain: ["is no host name"] } },
      `Invalid: ${domain}`,
    ],
    ["JSON:API", { errors: [{ status: "422", title: "Invalid", detail: domain }] }, `Invalid: ${domain}`],
    ["GraphQL", { data: null, errors: [{ message: domain }, { message: "too long" }] }, `${domain}; too long`],
    ["OAuth", { error: "invalid_request", error_description: domain }, `invalid_request: ${domain}`],
    ["a gateway", { fault: { faultstring: domain, detail: { errorcode: "x.y" } } }, domain],
    ["a cloud", { __type: "ValidationException", Message: domain }, domain],
    ["Google", { error: { code: 400, message: domain, status: "INVALID", details: [] } }, domain],
    ["Phoenix", { errors: { detail: domain } }, domain],
    ["XML", `<?xml version="1.0"?><Error><Code>Bad</Code><Message>${domain}</Message></Error>`, domain],
    ["SOAP", `<s:Fault><s:faultstring>${domain}</s:faultstring></s:Fault>`, domain],
    ["plain text", `${domain}\n`, domain],
    ["a JSON string", JSON.stringify(domain), domain],
    ["text over lines", { error: `\n  ${domain} \r\n\t` }, domain],
    ["express-validator", { errors: { domain: { msg: "is no host name", param: "domain" } } }, domain],
    ["Go's ozzo", { errors: { domain: "is no host name" } }, domain],
  ])("is read as %s writes it", async (_, body, said) => {
    expect((await errorOf("startExport", 422, body)).message).toContain(`HTTP 422: ${said}`);
  });

  it.each([
    ["Express", "<pre>Cannot GET /v1/static-export/jobs/job-1</pre>"],
    ["Express, as JSON", { error: "Cannot GET /v1/static-export/jobs/job-1" }],
    ["Fastify", { statusCode: 404, message: "Route GET:/v1/static-export/jobs/job-1 not found", error: "Not Found" }],
    ["Go", "404 page not found\n"],
    ["Kong", { message: "no Route matched with those values" }],
    ["nginx", "<html><body><h1>404 Not Found</h1></body></html>"],
    ["Hono", "404 Not Found"],
    ["a storage", "<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>"],
  ])("of a 404 is about the address, and not about a job, in the words of %s", async (_, body) => {
    const error = await errorOf("getExport", 404, body);
    expect(error).toMatchObject({ code: "DOCS_REFUSED", status: 404 });
    expect(error.message).toContain("nothing of the admin API is at this address: ");
    expect(error.message).toMatch(/What to do: the base URL or a path is wrong: check DOCS_PLATFORM_BASE_URL/);
    expect(error.message).not.toContain("check the id");
  });

  it.each([
    ...[{ error: "Job not found" }, { message: "not found" }, { detail: "Not Found" }, "", "no such job"],
    { type: "about:blank", title: "Not Found", instance: "/v1/static-export/jobs/job-1" },
  ])("of a 404 may be about the job: %j", async (body) => {
    expect(await errorOf("getExport", 404, body)).toMatchObject({ code: "DOCS_NOT_FOUND" });
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
